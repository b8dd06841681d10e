import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import type { Fault } from '../domain/errors.js';
import { yamlDepth } from '../lib/yaml-depth.js';

/**
 * Maximum number of aliases: more than people write, fewer than a "billion laughs" attack needs.
 */
const ALIASES = 100;
/** Maximum nesting; the parser is recursive. */
const DEPTH = 64;

/** Parses YAML, or JSON if the file's name says so. `parseTopology` validates the value. */
export function parseTopologyText(
  text: string,
  fileName: string,
): { value: unknown } | { faults: Fault[] } {
  try {
    if (fileName.endsWith('.json')) return { value: JSON.parse(text) as unknown };
    if (yamlDepth(text) > DEPTH)
      return { faults: [unreadable(`nested deeper than ${DEPTH} levels`)] };
    const lines = new LineCounter();
    // The parser's own check for unique keys compares each key with all others.
    const options = { logLevel: 'silent', uniqueKeys: false, lineCounter: lines } as const;
    const document = parseDocument(text, options);
    const faults = [...document.errors.map((error) => fault(error)), ...repeated(document, lines)];
    if (faults.length > 0) return { faults };
    return { value: document.toJS({ maxAliasCount: ALIASES }) as unknown };
  } catch (error) {
    return { faults: [fault(error)] };
  }
}

/** Finds duplicate keys of maps in linear time. */
function repeated(document: Document, lines: LineCounter): Fault[] {
  const faults: Fault[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<unknown>();
      for (const { key } of isMap(map) ? map.items : []) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          const { line, col } = lines.linePos(key.range?.[0] ?? 0);
          faults.push(unreadable(`Map keys must be unique at line ${line}, column ${col}`));
        }
        seen.add(key.value);
      }
    },
  });
  return faults;
}

const unreadable = (why: string): Fault => ({ path: '', message: `cannot be read: ${why}` });

/**
 * Only the first line: the rest of a parser's message repeats the text, which may contain a
 * password.
 */
function fault(error: unknown): Fault {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return unreadable(line.replace(/:$/, ''));
}
