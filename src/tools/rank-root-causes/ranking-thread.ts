/** Program of the thread of {@link rankInThread}: ranks its input, and posts the result. */
import { parentPort, workerData } from 'node:worker_threads';
import { rankRootCauses } from '../../engine/rank-root-causes.js';
import type { RankingTask } from './rank-in-thread.js';

const { seen, question } = workerData as RankingTask;
parentPort?.postMessage(rankRootCauses(seen, question));
