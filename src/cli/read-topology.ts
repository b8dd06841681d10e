import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
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

/** A topology file as it was written: not checked yet, that is the service's business. */
export interface TopologyFile {
  content: unknown;
  /** Where a fault's path stands in the file; the nearest thing around it where it is missing. */
  lineOf: (path: string) => number | undefined;
}

/**
 * Reads YAML or JSON, which is YAML too, from a file or (`-`) from standard input.
 * @param signal ends the wait for standard input
 * @throws ConsiliumError VALIDATION_FAILED with what to do about it; the reason of the signal
 */
export async function readTopology(path: string, signal?: AbortSignal): Promise<TopologyFile> {
  let text: string;
  try {
    text =
      path === '-'
        ? await readText(signal ? addAbortSignal(signal, process.stdin) : process.stdin)
        : await readFile(path, 'utf8');
  } catch (cause) {
    signal?.throwIfAborted();
    const isFolder = (cause as NodeJS.ErrnoException).code === 'EISDIR';
    const message = isFolder
      ? `${path} is no incident bundle: it is a folder without incident.yaml.`
      : unreadable(path, cause);
    throw new ConsiliumError('VALIDATION_FAILED', message, { cause });
  }
  const name = path === '-' ? 'Standard input' : path;
  if (yamlDepth(text) > DEPTH)
    throw new ConsiliumError('VALIDATION_FAILED', `${name} is nested deeper than ${DEPTH} levels.`);
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const fault = (offset: number, message: string): Fault => ({
    path: `line ${lines.linePos(offset).line}`,
    message,
  });
  const faults = [
    ...document.errors.map(({ message, pos }) => fault(pos[0], message)),
    ...repeatedKeys(document).map((offset) => fault(offset, 'Map keys must be unique')),
  ];
  if (faults.length > 0) {
    const wrong = path.endsWith('.json') ? jsonFault(text) : undefined;
    if (wrong === undefined)
      throw new ConsiliumError('VALIDATION_FAILED', `${name} is neither YAML nor JSON.`, {
        faults,
      });
    const { line, column, message } = wrong;
    throw new ConsiliumError('VALIDATION_FAILED', `${name} is not JSON.`, {
      faults: [{ path: `line ${line}, column ${column}`, message }],
    });
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
