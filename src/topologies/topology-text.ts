import { parseDocument } from 'yaml';
import type { Fault } from '../domain/errors.js';

/** More aliases than a person writes; fewer than a "billion laughs" needs. */
const ALIASES = 100;

/** Reads YAML, or JSON where the file's name says so, into the value it stands for; what it means is for `parseTopology`. */
export function parseTopologyText(
  text: string,
  fileName: string,
): { value: unknown } | { faults: Fault[] } {
  try {
    if (fileName.endsWith('.json')) return { value: JSON.parse(text) as unknown };
    const document = parseDocument(text, { logLevel: 'silent' });
    if (document.errors.length > 0) return { faults: document.errors.map((error) => fault(error)) };
    return { value: document.toJS({ maxAliasCount: ALIASES }) as unknown };
  } catch (error) {
    return { faults: [fault(error)] };
  }
}

/** The first line alone: the rest of a parser's message repeats the text, which may hold a password. */
function fault(error: unknown): Fault {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return { path: '', message: `cannot be read: ${line.replace(/:$/, '')}` };
}
