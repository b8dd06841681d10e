import { createHash } from 'node:crypto';
import { clip } from '../../../lib/text.js';

/** Maximum characters of a subject that is not cut. */
const MOST_SUBJECT = 200;
const KEPT = 150;
const DIGITS = 32;

/**
 * Which part of a node a call measures, by the arguments that select it, in a fixed order:
 * `{"path":"/a"}`; `""` for none. A long one is cut and ends in a hash of the whole, so that two
 * different ones stay different.
 * @param names of those arguments
 */
export function subjectOf(args: object, names: readonly string[] = []): string {
  const own = Object.entries(args)
    .filter(([name, value]) => names.includes(name) && value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  if (own.length === 0) return '';
  const text = JSON.stringify(Object.fromEntries(own));
  if (text.length <= MOST_SUBJECT) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
  return `${clip(text, KEPT)} ${hash}`;
}
