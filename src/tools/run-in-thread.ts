import { Worker } from 'node:worker_threads';

/** A program of a thread, which posts one result. */
export interface ThreadProgram {
  /** The subject of the error if the thread ends without a result. */
  name: string;
  url: URL;
  /** MB of heap that it may hold, the copy of its task included. */
  mostMb: number;
}

/** For recent allocations. The default of 48 MB is for processes that run permanently. */
const YOUNG_MB = 12;

/**
 * Runs a program in a separate thread, so that the event loop of this process does not wait for it.
 * @param task the `workerData` of the program: a copy
 * @returns the first message of the program
 * @throws the signal's reason, and then the thread has ended; the error that ended the thread
 */
export async function runInThread<Result>(
  { name, url, mostMb }: ThreadProgram,
  task: unknown,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const thread = new Worker(url, {
    workerData: task,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: mostMb, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<Result>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', (code) => {
        const reason = signal.aborted
          ? (signal.reason as Error)
          : new Error(`${name} ended without a result (${code})`);
        reject(reason);
      });
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.terminate();
  }
}
