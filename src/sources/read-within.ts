import { withinTime } from '../lib/async.js';
import { SourceError } from './http/source-error.js';

/**
 * Reads a source of many requests within a time: each request has a limit of its own, and all
 * together may still take hours.
 * @throws SourceError `unreachable` where it takes longer; the reason of `outer`; what the reading
 *   throws
 */
export async function readWithin<Result>(
  ms: number,
  read: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const late = () => new SourceError('unreachable', `not read within ${ms} ms`, { waitedMs: ms });
  return withinTime({ outer, ms, late }, read);
}
