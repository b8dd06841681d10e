import { afterEach, expect, it, jest } from '@jest/globals';
import { encodeLog } from '../../../test/support/streams/encode.js';
import { LOGS } from '../../../test/support/streams/logs.js';
import { abortable } from '../../lib/async.js';
import type { RunStreams } from '../../streams/run-streams.js';
import type { Turns } from '../turns.js';
import { OracleAnswers } from './oracle-answers.js';

/** Answers to a turn whose log is the one of this name, or whose stream is this one. */
function answersOf(log: string, stream?: string) {
  const started: string[] = [];
  const turns = {
    accept: async () => ({
      runId: 'r',
      spec: { limits: { timeoutSeconds: 120 } },
      start: async () => void started.push('r'),
    }),
  } as unknown as Turns;
  const streams = {
    collect: async (_: string, format: 'oracle') =>
      stream ?? encodeLog(format, LOGS[log] as string[]),
  } as unknown as RunStreams;
  return { answers: new OracleAnswers(turns, streams, { sweepSeconds: 5 }), started };
}

it('puts the chunks of a turn together', async () => {
  const { answers, started } = answersOf('with function calls');
  expect(await answers.ask('me', { message: '?' })).toMatchObject({
    answer: 'Let me look.\n\nRun 7.',
    sources: [{ path: 'runs/7', source_type: 'run' }],
    tokens_used: expect.any(Number),
    context_id: expect.any(String),
  });
  expect(started).toEqual(['r']);
});

it.each(['failed with DEADLINE', 'cancelled in a call'])(
  'is unavailable for a turn that has no end: %s',
  async (log) => {
    await expect(answersOf(log).answers.ask('me', { message: '?' })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      options: { retryAfterSeconds: 5 },
    });
  },
);

it('asks to wait as long as the provider of the model does', async () => {
  const message = 'The provider of "m" is called again in 154 s, at 10:02:34.';
  const stream = `data: ${JSON.stringify({ type: 'error', error: message })}\n\n`;
  await expect(answersOf('', stream).answers.ask('me', { message: '?' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message,
    options: { retryAfterSeconds: 154 },
  });
});

afterEach(() => void jest.useRealTimers());

it('is unavailable, and stops following, for a turn that nothing ends', async () => {
  jest.useFakeTimers();
  let left: AbortSignal | undefined;
  const turns = {
    accept: async () => ({
      runId: 'r',
      spec: { limits: { timeoutSeconds: 10 } },
      start: async () => undefined,
    }),
  } as unknown as Turns;
  const streams = {
    collect: (_: string, __: string, signal: AbortSignal) =>
      abortable(new Promise<string>(() => undefined), (left = signal)),
  } as unknown as RunStreams;
  const asked = new OracleAnswers(turns, streams, { sweepSeconds: 5 }).ask('me', { message: '?' });
  const refused = expect(asked).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    options: { retryAfterSeconds: 5 },
  });
  await jest.advanceTimersByTimeAsync(24_999);
  expect(left?.aborted).toBe(false);
  await jest.advanceTimersByTimeAsync(1);
  expect(left?.aborted).toBe(true);
  await refused;
});
