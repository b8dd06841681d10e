import type { Observations } from '../../engine/observations.js';
import type { Ranking } from '../../engine/ranking.js';
import { runInThread } from '../run-in-thread.js';

/** What is ranked: {@link rankRootCauses}. */
export interface RankingTask {
  seen: Observations;
  question: string;
}

const THREAD = {
  name: 'The ranking',
  mostMb: 1_024,
  url: new URL('./ranking-thread.js', import.meta.url),
};

/**
 * Ranks the root causes in a separate thread. This takes seconds if much was recorded, and its
 * patterns read text of the system under diagnosis: the event loop of this process must not wait
 * for either.
 * @throws as {@link runInThread}
 */
export const rankInThread = (task: RankingTask, signal: AbortSignal): Promise<Ranking> =>
  runInThread<Ranking>(THREAD, task, signal);
