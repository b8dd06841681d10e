import type { z } from 'zod';
import type { FaultList } from './fault-list.js';
import { allowed, clip } from '../lib/text.js';

/**
 * `teams[0].workers[1].tools[0]`; a key that is not a plain word is quoted. `''` is the whole
 * input.
 */
function faultPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      const key = String(step);
      if (!/^[A-Za-z_$][\w$]{0,79}$/.test(key)) return `[${JSON.stringify(clip(key, 80))}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}

/** Of an object whose keys depend on its values: a function of it. */
type KnownKeys = Readonly<
  Record<string, readonly string[] | ((object: unknown) => readonly string[])>
>;

/**
 * Parses a part of an input with its schema and adds faults. Each unknown key is a fault with the
 * known keys of its object.
 *
 * @param path of the part in the whole input
 * @param knownKeys by the key that holds the object, or the list of it; `''` for the whole input
 */
export function readPart<T extends z.ZodType>(
  schema: T,
  value: unknown,
  path: readonly PropertyKey[],
  { knownKeys, faults }: { knownKeys: KnownKeys; faults: FaultList },
): z.output<T> | undefined {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const at = [...path, ...issue.path];
    if (issue.code !== 'unrecognized_keys') {
      faults.add(faultPath(at), issue.message);
      continue;
    }
    const holder = at.findLast((step) => typeof step === 'string') ?? '';
    const known = knownKeys[holder] ?? [];
    const keys = typeof known === 'function' ? known(valueAt(value, issue.path)) : known;
    for (const key of issue.keys) {
      if (faults.isFull) break;
      faults.add(faultPath([...at, key]), () => `unknown key; ${allowed(key, keys)}`);
    }
  }
  return undefined;
}

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((holder, step) => (holder as Record<PropertyKey, unknown>)[step], value);
