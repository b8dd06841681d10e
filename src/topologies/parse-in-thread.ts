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
/** Characters of a text that is parsed within a fraction of a second: about 150 nodes. */
const SMALL = 16 * 1024;

/**
 * One thread for small texts and one for large ones, so that no small text waits for large ones, and the texts of clients do not take
 * all processors. `most` texts may wait for each.
 */
const LANES = {
  small: { run: pLimit(1), most: 20 },
  large: { run: pLimit(1), most: 2 },
};

/**
 * Parses the YAML of a client in a thread of its own: `parseTopologyText`. The event loop of this process does not wait for it.
 *
 * @throws ConsiliumError UNAVAILABLE where too many texts wait, or where this one takes too long or too much memory
 */
export async function parseInThread(
  text: string,
  { program = PROGRAM, seconds = MOST_SECONDS } = {},
): Promise<ParsedText> {
  const lane = text.length <= SMALL ? LANES.small : LANES.large;
  if (lane.run.pendingCount >= lane.most)
    throw new ConsiliumError(
      'UNAVAILABLE',
      'Too many YAML texts are being read; try again later, or send the topology as JSON',
      { retryAfterSeconds: RETRY_AFTER_SECONDS },
    );
  return lane.run(async () => {
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
