import { expect, it } from '@jest/globals';
import { encodeLog } from '../../../test/support/encode.js';
import { LOGS } from '../../../test/support/logs.js';
import type { RunStreams } from '../../streams/run-streams.js';
import type { Turns } from '../turns.js';
import { OracleAnswers } from './oracle-answers.js';

/** Answers to a turn whose log is the one of this name, or whose stream is this one. */
function answersOf(log: string, stream?: string) {
  const started: string[] = [];
  const turns = {
    accept: async () => ({ runId: 'r', start: async () => void started.push('r') }),
  } as unknown as Turns;
  const streams = {
    collect: async (_: string, format: 'oracle') =>
      stream ?? encodeLog(format, LOGS[log] as string[]),
  } as unknown as RunStreams;
  return { answers: new OracleAnswers(turns, streams), started };
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
    ...{ code: 'UNAVAILABLE', message, options: { retryAfterSeconds: 154 } },
  });
});
