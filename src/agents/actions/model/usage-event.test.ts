import { expect, it } from '@jest/globals';
import { PAID_MODEL } from '../../../../test/support/models/agent-session.js';
import { usageEvent } from './usage-event.js';

const place = { dispatch_id: null, turn: 2, attempt: 1 };
const source = { agent_id: '1', agent_type: 'worker', agent_name: 'A', team_name: null } as const;
const usage = { input: 100, output: 20, cacheRead: 0, cacheWrite: 0, estimated: false };
const event = (over: object = {}) =>
  usageEvent(source, place, { entry: PAID_MODEL, usage, finishReason: 'stop', ...over }).data;

it('counts the tokens of an attempt, and says how it ended', () => {
  expect(event()).toEqual({
    ...place,
    model: 'paid',
    input_tokens: 100,
    output_tokens: 20,
    context_tokens: 120,
    max_context_tokens: 100_000,
    finish_reason: 'stop',
  });
});

it('marks an estimate, and has the time and the cost where they are known', () => {
  expect(event({ usage: { ...usage, estimated: true } })).toMatchObject({ estimated: true });
  const entry = { ...PAID_MODEL, prices: { input: 10, output: 50 } };
  expect(event({ entry })).toMatchObject({ cost: expect.closeTo(0.002, 6) });
});
