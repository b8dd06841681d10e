import { LineCounter, parseDocument, YAMLParseError } from 'yaml';
import { repeatedKeys } from '../config/repeated-keys.js';
import type { Fault } from '../domain/errors.js';
import { TOPOLOGY_BOUNDS } from '../domain/topology/schema/forms.js';
import { jsonFault, showJsonFault } from '../lib/json-fault.js';
import { yamlDepth } from '../lib/yaml-depth.js';
import { hasMoreValues } from './has-more-values.js';

/**
 * Maximum number of aliases: more than people write, fewer than a "billion laughs" attack needs.
 */
const ALIASES = 100;
/** Maximum nesting; the parser is recursive. */
const DEPTH = 64;
/** Maximum number of line breaks and commas: each value of a YAML in JSON style may have both. */
const BREAKS = 2 * TOPOLOGY_BOUNDS.values;
const MOST_FAULTS = 100;
/** The parser's own messages. */
const NOT_UNIQUE = 'Map keys must be unique';

/** The content of a text, or why it cannot be read. It can be sent to another thread. */
export type ParsedText = { value: unknown } | { faults: Fault[] };

/**
 * Parses YAML, or JSON if the file's name says so. `parseTopology` validates the value. YAML takes
 * up to two seconds for 1 MiB: text of clients is parsed in a thread ({@link parseInThread}).
 */
export function parseTopologyText(text: string, fileName: string): ParsedText {
  const parsed = parse(text, fileName);
  if ('faults' in parsed) return { faults: parsed.faults.slice(0, MOST_FAULTS) };
  const faults = tooManyValues(parsed.value);
  return faults.length > 0 ? { faults } : parsed;
}

/** The fault of a value that is too large to be validated. */
export const tooManyValues = (value: unknown): Fault[] =>
  hasMoreValues(value, TOPOLOGY_BOUNDS.values)
    ? [{ path: '', message: `must have at most ${most(TOPOLOGY_BOUNDS.values)} values in all` }]
    : [];

const most = (count: number) => count.toLocaleString('en');

function parse(text: string, fileName: string): ParsedText {
  try {
    if (fileName.endsWith('.json')) return parseJson(text);
    if ((text.match(/[\n,]/g)?.length ?? 0) > BREAKS)
      return { faults: [unreadable(`more than ${most(BREAKS)} line breaks and commas`)] };
    if (yamlDepth(text) > DEPTH)
      return { faults: [unreadable(`nested deeper than ${DEPTH} levels`)] };
    const lines = new LineCounter();
    // With `silent`, the parser takes the first of several documents.
    const options = { logLevel: 'error', uniqueKeys: false, lineCounter: lines } as const;
    // Its own messages repeat the line, which may be the whole text, for each error.
    const document = parseDocument(text, { ...options, prettyErrors: false });
    const errors = document.errors.slice(0, MOST_FAULTS);
    const faults = [
      ...errors.map((error) => fault(error, place(lines, error.pos[0]))),
      ...repeatedKeys(document).map((at) => unreadable(NOT_UNIQUE + place(lines, at))),
    ];
    if (faults.length > 0) return { faults };
    return { value: document.toJS({ maxAliasCount: ALIASES }) as unknown };
  } catch (error) {
    return { faults: [fault(error)] };
  }
}

function parseJson(text: string): ParsedText {
  const wrong = jsonFault(text);
  return wrong
    ? { faults: [unreadable(`it is not JSON: ${showJsonFault(wrong)}`)] }
    : { value: JSON.parse(text) as unknown };
}

/** The position of an offset; empty for errors that have none (-1). */
function place(lines: LineCounter, offset: number): string {
  if (offset < 0) return '';
  const { line, col } = lines.linePos(offset);
  return ` at line ${line}, column ${col}`;
}

const unreadable = (why: string): Fault => ({ path: '', message: `cannot be read: ${why}` });

/**
 * Only the first line: the rest of a parser's message repeats the text, which may contain a
 * password.
 */
function fault(error: unknown, at = ''): Fault {
  if (error instanceof YAMLParseError && error.code === 'MULTIPLE_DOCS')
    return unreadable(`it holds more than one document; send one, without "---" behind it${at}`);
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return unreadable(line.replace(/:$/, '') + at);
}
