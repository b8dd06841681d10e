import { expect, it } from '@jest/globals';
import { runInThread } from './run-in-thread.js';

const never = new AbortController().signal;
const program = (code: string) => ({
  name: 'The work',
  url: new URL(`data:text/javascript,${encodeURIComponent(code)}`),
  mostMb: 32,
});

it('returns what the thread posts about its task', async () => {
  const code = `import { parentPort, workerData } from 'node:worker_threads';
    parentPort.postMessage(workerData.a + 1);`;
  expect(await runInThread(program(code), { a: 1 }, never)).toBe(2);
});

it('ends a thread that does not come to an end, and runs meanwhile', async () => {
  const cancel = new AbortController();
  const work = runInThread(program('for (;;);'), {}, cancel.signal);
  let turns = 0;
  while (turns < 10) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    turns += 1;
  }
  cancel.abort(new Error('too late'));
  await expect(work).rejects.toThrow('too late');
});

it.each([
  ['throws', 'throw new Error("broken")', 'broken'],
  ['ends', 'process.exit(3)', 'The work ended without a result (3)'],
  [
    'holds too much',
    'const all = []; for (let i = 0; ; i++) all.push({ i, text: "x" + i })',
    /memory/,
  ],
])('rejects if the thread %s', async (_, code, message) => {
  await expect(runInThread(program(code), {}, never)).rejects.toThrow(message);
});

it('starts no thread after a cancel', async () => {
  const reason = new Error('cancelled');
  await expect(runInThread(program(''), {}, AbortSignal.abort(reason))).rejects.toBe(reason);
});
