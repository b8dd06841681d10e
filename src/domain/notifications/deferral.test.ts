import { describe, expect, it } from '@jest/globals';
import { accumulate } from './accumulate.js';
import { deliver } from './deliver.js';
import type { DeliveryContext } from './deferral.js';
import { freshNotifications } from './notification-state.js';
import type { Point } from './subscriber.js';
import { place, subscriber, event } from '../../../test/support/models/notification-parts.js';

describe('a deferred notification', () => {
  const deferred = (deliverAt: object) => {
    const state = freshNotifications();
    accumulate(
      state,
      [subscriber()],
      event(1, { payload: { n: 1, deliver: deliverAt as never } }),
      place({ toolsDone: { probe: 1 } }),
    );
    return (at: Partial<DeliveryContext>, point: Point = 'turn_start') =>
      deliver(state, point, place({ toolsDone: { probe: 1 }, ...at })).text !== '';
  };

  it.each([
    [{ when: 'next_turn' }, {}, { turn: 2 }],
    [{ when: 'after_n_turns', turns: 3 }, { turn: 3 }, { turn: 4 }],
    [{ when: 'after_tool', tool: 'probe' }, {}, { toolsDone: { probe: 2 } }],
    [
      { when: 'on_condition', condition: 'context_above_threshold', value: 0.5 },
      { contextUsage: 0.5 },
      { contextUsage: 0.51 },
    ],
    [{ when: 'on_condition', condition: 'token_usage_above', value: 0.5 }, {}, { tokenUsage: 0.6 }],
    [
      { when: 'on_condition', condition: 'message_count_above', value: 9 },
      { messages: 9 },
      { messages: 10 },
    ],
    [
      { when: 'on_condition', condition: 'tool_completed', value: 'other' },
      {},
      { toolsDone: { other: 1 } },
    ],
  ])('waits for %j and is delivered once', (deliverAt, before, due) => {
    const isTold = deferred(deliverAt);
    expect([isTold(before), isTold(due), isTold(due)]).toEqual([false, true, false]);
  });

  it('for the next session is not delivered in this one', () => {
    expect(deferred({ when: 'next_session' })({ turn: 50 }, 'turn_end')).toBe(false);
  });

  it('with an invalid condition is delivered normally', () => {
    expect(deferred({ when: 'some day' })({}, 'after_tool')).toBe(true);
  });
});
