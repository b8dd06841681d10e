import type { FaultList } from '../fault-list.js';
import { CONTROL_CHARACTERS, hasControlCharacters } from './endpoint-fault.js';
import { fitsIn } from '../../lib/text.js';

const DEPTH = 8;
const VALUES = 1_000;
const TEXT = 20_000;
const KEY = 1_000;

/**
 * Faults of the attributes of a node, which must be plain JSON of bounded size, because they are
 * part of checkpoints, prompts and responses. YAML and callers in the process can contain more than
 * JSON: dates, infinities, cycles.
 */
export function attributeFaults(attributes: object, path: string, into: FaultList): void {
  let left = VALUES;
  const look = (value: unknown, depth: number): string | undefined => {
    left -= 1;
    if (left < 0) return `must hold at most ${VALUES} values`;
    if (typeof value === 'string')
      return fitsIn(value, TEXT) ? undefined : `must hold texts of at most ${TEXT} characters`;
    if (
      value === null ||
      typeof value === 'boolean' ||
      (typeof value === 'number' && Number.isFinite(value))
    )
      return undefined;
    if (typeof value !== 'object' || !isPlain(value))
      return 'must hold only what JSON can: texts, numbers, booleans, null, lists and objects';
    if (depth === DEPTH) return `must not be nested deeper than ${DEPTH} levels`;
    // Entry by entry: the first fault ends the check, however many entries a hostile object has.
    for (const key in value) {
      if (!fitsIn(key, KEY)) return `must have keys of at most ${KEY} characters`;
      const fault = look((value as Record<string, unknown>)[key], depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  const fault = look(attributes, 0);
  if (fault !== undefined) into.add(path, fault);
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Attributes that become a part of a request, or a name that is looked up. */
const IN_REQUESTS = [
  'expectAddress',
  'metricsPath',
  'nginxStatusPath',
  'path',
  'paths',
  'process',
  'recordType',
  'restartUrl',
  'server',
  'serverName',
];
/** Paths at the host of the endpoint: two slashes at the start would name another host. */
const PATHS = ['metricsPath', 'nginxStatusPath', 'paths'];

/** Faults of the texts, alone or in a list, that tools put into their requests. */
export function requestFaults(
  attributes: Readonly<Record<string, unknown>>,
  path: string,
  into: FaultList,
): void {
  for (const name of IN_REQUESTS) {
    const texts = [attributes[name]].flat().filter((each) => typeof each === 'string');
    if (texts.some(hasControlCharacters)) into.add(`${path}.${name}`, CONTROL_CHARACTERS);
    else if (PATHS.includes(name) && !texts.every((text) => /^\/(?![/\\])/.test(text)))
      into.add(`${path}.${name}`, 'must be a path that begins with one slash');
  }
}

/** A `process` needs a name or an id; a `host` may have them. */
export function processFaults(
  kind: string,
  attributes: Readonly<Record<string, unknown>>,
  path: string,
  into: FaultList,
): void {
  if (kind !== 'process' && kind !== 'host') return;
  const { process, pid } = attributes;
  if (kind === 'process' && process === undefined && pid === undefined)
    into.add(path, 'a node of kind process needs `process` (a name) or `pid`');
  if (process !== undefined && (typeof process !== 'string' || process.trim() === ''))
    into.add(`${path}.process`, 'must be the name of a process');
  if (pid !== undefined && (!Number.isSafeInteger(pid) || (pid as number) < 1))
    into.add(`${path}.pid`, 'must be a positive integer');
}
