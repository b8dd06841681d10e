import { Worker } from 'node:worker_threads';
import type { Observations } from '../../domain/engine/observations.js';
import type { Ranking } from '../../domain/engine/ranking.js';

/** What is ranked: {@link rankRootCauses}. */
export interface RankingTask {
  seen: Observations;
  question: string;
}

/** Memory in MB that a ranking may hold, the copy of the observations included. */
const MOST_MB = 1_024;
/** Of what was allocated last. The default of 48 MB is for processes that do this all the time. */
const YOUNG_MB = 12;
const PROGRAM = new URL('./ranking-thread.js', import.meta.url);

/**
 * Ranks the root causes in a thread of its own. It takes seconds where much was recorded, and its patterns read text that the
 * system under diagnosis wrote: the event loop of this process must not wait for either.
 *
 * @throws the signal's reason, and then the thread has ended; the error that ended the thread
 */
export async function rankInThread(
  task: RankingTask,
  signal: AbortSignal,
  program = PROGRAM,
): Promise<Ranking> {
  signal.throwIfAborted();
  const thread = new Worker(program, {
    workerData: task,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<Ranking>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', (code) => {
        const reason = signal.aborted
          ? (signal.reason as Error)
          : new Error(`The ranking ended without a result (${code})`);
        reject(reason);
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
