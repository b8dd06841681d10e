import { withinTime } from '../lib/async.js';
import { SourceError } from './http/source-error.js';

/**
 * Reads a source with many requests within a time: each request has its own limit, and all together
 * could still take hours.
 * @throws SourceError `unreachable` if it takes longer; the reason of `outer`; errors of the
 *   reading
 */
export async function readWithin<Result>(
  ms: number,
  read: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const late = () => new SourceError('unreachable', `not read within ${ms} ms`, { waitedMs: ms });
  return withinTime({ outer, ms, late }, read);
}
