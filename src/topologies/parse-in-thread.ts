import { ConsiliumError } from '../domain/errors.js';
import { runInThread } from '../tools/run-in-thread.js';
import { Lane } from './lane.js';
import type { ParsedText } from './topology-text.js';

const PROGRAM = new URL('./parsing-thread.js', import.meta.url);
/** MB of heap: the largest text that is read needs about 100. */
const MOST_MB = 256;
/**
 * No text that `parseTopologyText` reads takes a tenth of this time, if the machine is not busy.
 */
const MOST_SECONDS = 30;
const RETRY_AFTER_SECONDS = 5;
/** Maximum characters of a text that is parsed within a fraction of a second: about 150 nodes. */
const SMALL = 16 * 1024;

/**
 * One thread for small texts and one for large ones, so that no small text waits for large ones,
 * and the texts of clients do not take all processors. One caller may fill a half or less of the
 * room of each.
 */
const LANES = { small: new Lane(40, 20), large: new Lane(8, 3) };

/**
 * Parses the YAML of a client in a separate thread: `parseTopologyText`. The event loop of this
 * process does not wait for it.
 * @param caller id of the client
 * @throws ConsiliumError UNAVAILABLE if too many texts wait, or if this one takes too long or too
 *   much memory
 */
export async function parseInThread(
  text: string,
  caller: string,
  { program = PROGRAM, seconds = MOST_SECONDS } = {},
): Promise<ParsedText> {
  const lane = text.length <= SMALL ? LANES.small : LANES.large;
  const parsed = await lane.run(caller, () => parse(text, program, seconds));
  if (parsed) return parsed;
  throw new ConsiliumError(
    'UNAVAILABLE',
    'Too many YAML texts are being read; try again later, or send the topology as JSON',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}

async function parse(text: string, program: URL, seconds: number): Promise<ParsedText> {
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
}
