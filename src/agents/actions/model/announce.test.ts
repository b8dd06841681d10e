import { describe, expect, it } from '@jest/globals';
import { PAID_MODEL, sessionOf } from '../../../../test/support/models/agent-session.js';
import { ModelError } from '../../../models/calls/model-error.js';
import { announceRetry, announceShorter, announceWait, seconds } from './announce.js';

const error = new ModelError('OVERLOADED', 'The provider is busy.', { retryable: true });

/** The one warning of a step, and the state that it leaves. */
async function announced(announce: (session: ReturnType<typeof sessionOf>['session']) => unknown) {
  const { session, steps } = sessionOf();
  await announce(session);
  const events = steps.flatMap((step) => step.events);
  return { board: session.board, data: events[0]?.data as Record<string, unknown> | undefined };
}

describe('another attempt', () => {
  const next = { tries: {} as never, afterMs: 2_340, notBefore: 99 };

  it('is announced with its time', async () => {
    const { board, data } = await announced((session) =>
      announceRetry(session, PAID_MODEL, error, { ...next, model: 'paid' }),
    );
    expect(data).toMatchObject({
      code: 'OVERLOADED',
      retryable: true,
      attempt: 1,
      retry_in_ms: 2_340,
      model: 'paid',
      message: 'The provider is busy. Trying again in 2.4 s.',
    });
    expect(board).toMatchObject({ nextAttempt: 2, notBefore: 99 });
  });

  it('of another model names that', async () => {
    const { data } = await announced((session) =>
      announceRetry(session, PAID_MODEL, error, { ...next, model: 'spare' }),
    );
    expect(data?.['message']).toBe('The provider is busy. "spare" takes its place.');
  });

  it('with less of the request is made at once', async () => {
    const { board, data } = await announced((session) =>
      announceShorter(session, PAID_MODEL, error),
    );
    expect(data).toMatchObject({ retry_in_ms: 0, retryable: true });
    expect(board.nextAttempt).toBe(2);
  });
});

describe('a wait for a model', () => {
  const wait = (why: string, ms: number) =>
    announced((session) =>
      announceWait(session, { kind: 'wait', why, ms, entry: PAID_MODEL } as never),
    );

  it('says who asked for it', async () => {
    expect((await wait('hold', 5_000)).data?.['message']).toContain('(Retry-After)');
    expect((await wait('minute', 5_000)).data?.['message']).toMatch(/^All calls of "paid"/);
  });

  it('names its end if it is long', async () => {
    expect((await wait('hold', 60_000)).data?.['message']).toMatch(/60 s, at \S+/);
  });

  it.each([
    ['hold', 900],
    ['busy', 60_000],
  ])('is not announced: %s for %d ms', async (why, ms) => {
    expect((await wait(why, ms)).data).toBeUndefined();
  });
});

it('words seconds with one digit, rounded up', () => {
  expect([10, 1_000, 1_201].map(seconds)).toEqual(['0.1 s', '1 s', '1.3 s']);
});
