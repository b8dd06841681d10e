import pLimit from 'p-limit';
import { ConsiliumError } from '../domain/errors.js';
import { runInThread } from '../tools/run-in-thread.js';
import type { ParsedText } from './topology-text.js';

const PROGRAM = new URL('./parsing-thread.js', import.meta.url);
/** MB of heap: the largest text that is read needs about 100. */
const MOST_MB = 256;
/** No text that `parseTopologyText` reads takes a tenth of this, if the machine is not busy. */
const MOST_SECONDS = 30;
const RETRY_AFTER_SECONDS = 5;
/** Texts that may wait for the one thread, each of up to 1 MiB. */
const MOST_WAITING = 20;

/** At most one such thread in a process: texts of clients do not take all processors. */
const one = pLimit(1);

/**
 * Parses the YAML of a client in a thread of its own: `parseTopologyText`. The event loop of this process does not wait for it.
 *
 * @throws ConsiliumError UNAVAILABLE where too many texts wait, or where this one takes too long or too much memory
 */
export async function parseInThread(
  text: string,
  { program = PROGRAM, seconds = MOST_SECONDS } = {},
): Promise<ParsedText> {
  if (one.pendingCount >= MOST_WAITING)
    throw new ConsiliumError('UNAVAILABLE', 'Too many YAML texts are being read; try again later', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  return one(async () => {
    const late = AbortSignal.timeout(seconds * 1_000);
    try {
      const thread = { name: 'The parser of YAML', url: program, mostMb: MOST_MB };
      return await runInThread<ParsedText>(thread, text, late);
    } catch (error) {
      if (!late.aborted && (error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY')
        throw error;
      throw new ConsiliumError(
        'UNAVAILABLE',
        `The YAML needs more than ${seconds} s or ${MOST_MB} MB to be read; correct it, or send the topology as JSON`,
        { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }
  });
}
