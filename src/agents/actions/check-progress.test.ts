import { describe, expect, it } from '@jest/globals';
import { act, sessionOf, turnOf } from '../../../test/support/models/agent-session.js';
import { checkProgress } from './check-progress.js';

const failed = (n: number) => ({
  tool: 'look',
  args: { n },
  output: { error: `e${n}` },
  failed: true,
});
const fine = (n: number) => ({ tool: 'look', args: { n } });
const check = (...turns: ReturnType<typeof turnOf>[]) =>
  act(checkProgress, sessionOf({ messages: turns.flat() }).session);

describe('check-progress', () => {
  it('ends an agent after three turns in which every call failed', async () => {
    const result = await check(turnOf(failed(1)), turnOf(failed(2), failed(3)), turnOf(failed(4)));
    expect(result).toMatchObject({
      state: { stop: true, reasons: ['ERROR_LIMIT'] },
      events: [{ data: { code: 'ERROR_LIMIT', error_count: 3, last_error: 'e4' } }],
    });
  });

  it('lets an agent go on after two such turns, and counts no call that its process cut off', async () => {
    expect(await check(turnOf(failed(1)), turnOf(failed(2)))).toEqual({ outcome: 'success' });
    const cut = turnOf(failed(3)).map((message) =>
      message.role === 'result' ? { ...message, interrupted: true as const } : message,
    );
    expect(await check(turnOf(failed(1)), turnOf(failed(2)), cut)).toEqual({ outcome: 'success' });
  });

  it('takes three parallel calls that failed for one turn', async () => {
    expect(await check(turnOf(failed(1), failed(2), failed(3)))).toEqual({ outcome: 'success' });
  });

  it('counts no turn in which one call succeeded', async () => {
    const turns = [turnOf(failed(1)), turnOf(failed(2), fine(3)), turnOf(failed(4))];
    expect(await check(...turns)).toEqual({ outcome: 'success' });
  });

  it('ends an agent that makes the same call three times running', async () => {
    const result = await check(turnOf(fine(1)), turnOf(fine(1)), turnOf(fine(1)));
    expect(result).toMatchObject({
      state: { stop: true, reasons: ['NO_PROGRESS'] },
      events: [{ data: { repeated_action: 'look({"n":1})' } }],
    });
  });

  it('leaves an agent alone that has reached a limit', async () => {
    const messages = [1, 1, 1].flatMap((n) => turnOf(fine(n)));
    const { session } = sessionOf({ messages, limits: { maxIterations: 1 } });
    expect(await act(checkProgress, session)).toEqual({ outcome: 'success' });
  });
});
