import { describe, expect, it } from '@jest/globals';
import type { AgentEvent } from './agent-event.js';
import { accumulate, isSelected } from './accumulate.js';
import { deliver } from './deliver.js';
import { freshNotifications } from './notification-state.js';
import type { Point, Subscriber } from './subscriber.js';
import { place, subscriber, event } from '../../../test/support/models/notification-parts.js';

describe('a subscriber', () => {
  const told = (sub: Subscriber, events: [number, AgentEvent][], point: Point = 'after_tool') => {
    const state = freshNotifications();
    for (const [now, e] of events) accumulate(state, [sub], e, place({ now }));
    return deliver(state, point, place({ now: 100_000 })).text;
  };

  it('delivers a single event below the size of its batch', () => {
    expect(told(subscriber({ batching: { max_size: 10 } }), [[0, event(1)]])).toBe(
      '[system notification]\nseen: 1',
    );
  });

  it('is delivered only at its point and only once', () => {
    const state = freshNotifications();
    accumulate(state, [subscriber()], event(1), place());
    expect(deliver(state, 'turn_start', place()).text).toBe('');
    expect(deliver(state, 'after_tool', place()).text).toContain('seen: 1');
    expect(deliver(state, 'after_tool', place()).text).toBe('');
  });

  it('filters by severity and source', () => {
    const sub = subscriber({ events: { severity_filter: 'error', sources: ['w1'] } });
    const events = [event(1, { severity: 'warning' }), event(2), event(3, { source: 'w2' })];
    expect(
      told(
        sub,
        events.map((e) => [0, e]),
      ),
    ).toBe('[system notification]\nseen: 2');
  });

  it('groups several events under a header with their count', () => {
    const text = told(
      subscriber(),
      [1, 2, 3].map((n) => [n, event(n)]),
    );
    expect(text).toBe('[system notification]\nSub: 3\n- seen: 1\n- seen: 2\n- seen: 3');
  });

  it('starts a new group when the batch is full or its window has ended', () => {
    const full = told(
      subscriber({ batching: { max_size: 2 } }),
      [1, 2, 3].map((n) => [n, event(n)]),
    );
    expect(full).toBe('[system notification]\nSub: 2\n- seen: 1\n- seen: 2\nseen: 3');
    const late = told(subscriber({ batching: { window_ms: 100 } }), [
      [0, event(1)],
      [99, event(2)],
      [100, event(3)],
    ]);
    expect(late).toBe('[system notification]\nSub: 2\n- seen: 1\n- seen: 2\nseen: 3');
  });

  it('counts identical events within its window', () => {
    const sub = subscriber({
      batching: { dedupe_key: 'type:payload.n', dedupe_window_ms: 1_000, window_ms: 10_000 },
    });
    const text = told(sub, [
      [0, event(1)],
      [999, event(1, { id: 'again' })],
      [1_000, event(1, { id: 'later' })],
    ]);
    expect(text).toBe('[system notification]\nSub: 3\n- seen: 1 (2 times)\n- seen: 1');
  });

  it('distinguishes keys whose values contain a separator', () => {
    const sub = subscriber({
      batching: { dedupe_key: 'payload.a:payload.b' },
      output: { template: '{{payload.a}}' },
    });
    const of = (a: string, b: string) => event(1, { payload: { a, b } });
    expect(
      told(sub, [
        [0, of('x:y', 'z')],
        [0, of('x', 'y:z')],
      ]),
    ).toContain('Sub: 2');
  });

  it('delivers critical events immediately, also if the payload sets the priority', () => {
    const state = freshNotifications();
    const subs = [
      subscriber(),
      subscriber({
        subscriber: { id: 'urgent' },
        output: { priority: 'critical', template: 'urgent' },
      }),
    ];
    accumulate(state, subs, event(1), place());
    accumulate(
      state,
      subs.slice(0, 1),
      event(2, { payload: { n: 2, inject_at: 'immediate', priority: 'low' } }),
      place(),
    );
    expect(deliver(state, 'turn_end', place()).text).toBe('[system notification]\nurgent\nseen: 2');
  });

  it('shows at most twenty rows of a group and counts the others', () => {
    const text = told(
      subscriber({ batching: { max_size: 100 } }),
      Array.from({ length: 25 }, (_, n) => [0, event(n)]),
    );
    expect(text).toContain('Sub: 25');
    expect(text.split('\n').length).toBe(1 + 1 + 20 + 1);
    expect(text).toMatch(/- and 5 more$/);
  });

  it('selects nothing if it is disabled', () => {
    expect(isSelected(subscriber({ subscriber: { enabled: false } }), event(1))).toBe(false);
  });
});
