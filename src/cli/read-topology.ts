import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { isNode, LineCounter, parseDocument } from 'yaml';
import { repeatedKeys } from '../config/repeated-keys.js';
import { jsonFault } from '../lib/json-fault.js';
import { stepsOf } from '../lib/paths.js';
import { unreadable } from '../lib/unreadable.js';
import { yamlDepth } from '../lib/yaml-depth.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';

/** Maximum nesting; the parser is recursive. */
const DEPTH = 64;

/** The beginning of a text without a file name that is JSON. */
const JSON_BEGINS = /^\s*(?:\{\s*"|\[)/;

const placeText = (line: number, column: number): string => `line ${line}, column ${column}`;

/** The document of a topology file. It is not validated: the service does that. */
export interface TopologyFile {
  content: unknown;
  /**
   * The position of a fault's path in the file; that of its nearest existing parent if it is
   * missing.
   */
  lineOf: (path: string) => number | undefined;
}

/**
 * Reads YAML or JSON, which is YAML too, from a file or (`-`) from standard input.
 * @throws ConsiliumError VALIDATION_FAILED with a remedy
 */
export async function readTopology(path: string): Promise<TopologyFile> {
  let text: string;
  try {
    text = path === '-' ? await readText(process.stdin) : await readFile(path, 'utf8');
  } catch (cause) {
    const isFolder = (cause as NodeJS.ErrnoException).code === 'EISDIR';
    const message = isFolder
      ? `${path} is no incident bundle: it is a folder without incident.yaml.`
      : unreadable(path, cause);
    throw new ConsiliumError('VALIDATION_FAILED', message, { cause });
  }
  return readTopologyText(path, text);
}

/**
 * Reads the text of a file or (`-`) of standard input.
 * @throws ConsiliumError VALIDATION_FAILED
 */
export function readTopologyText(path: string, text: string): TopologyFile {
  const name = path === '-' ? 'Standard input' : path;
  if (yamlDepth(text) > DEPTH)
    throw new ConsiliumError('VALIDATION_FAILED', `${name} is nested deeper than ${DEPTH} levels.`);
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const placed = (offset: number, message: string): Fault => {
    const { line, col } = lines.linePos(offset);
    return { path: placeText(line, col), message };
  };
  const repeated = repeatedKeys(document);
  if (document.errors.length + repeated.length > 0) {
    const isJson = path === '-' ? JSON_BEGINS.test(text) : path.endsWith('.json');
    const wrong = isJson ? jsonFault(text) : undefined;
    const faults = wrong
      ? [{ path: placeText(wrong.line, wrong.column), message: wrong.message }]
      : [
          ...document.errors.map(({ message, pos }) => placed(pos[0], message)),
          ...repeated.map((offset) => placed(offset, 'a key is repeated')),
        ];
    const what = wrong
      ? 'is not JSON'
      : document.errors.length > 0
        ? 'is neither YAML nor JSON'
        : 'repeats a key';
    throw new ConsiliumError('VALIDATION_FAILED', `${name} ${what}.`, { faults });
  }

  const content = document.toJS({ maxAliasCount: 100 }) as unknown;
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    const what =
      content === null
        ? 'is empty'
        : Array.isArray(content)
          ? 'holds a list'
          : `holds a ${typeof content}`;
    throw new ConsiliumError(
      'VALIDATION_FAILED',
      `${name} ${what}. A topology has an id, a name and nodes: see examples/topologies.`,
    );
  }

  return {
    content,
    lineOf(fault) {
      for (const steps = stepsOf(fault); ; steps.pop()) {
        const found = document.getIn(steps, true);
        if (isNode(found) && found.range) return lines.linePos(found.range[0]).line;
        if (steps.length === 0) return undefined;
      }
    },
  };
}
