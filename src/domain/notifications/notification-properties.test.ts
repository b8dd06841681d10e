import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agentEvent, AGENT_EVENTS, SEVERITIES, type AgentEvent } from './agent-event.js';
import { accumulate, isSelected } from './accumulate.js';
import { deliver } from './deliver.js';
import type { Deferral } from './deferral.js';
import { enqueue } from './event-queue.js';
import { freshNotifications, type NotificationState } from './notification-state.js';
import { pump, type PumpWorld } from './pump.js';
import { ruleFile, type Rule } from './rule.js';
import { POINTS, PRIORITIES, type Point, type Subscriber } from './subscriber.js';
import {
  place,
  subscriber,
  event,
  world,
} from '../../../test/support/models/notification-parts.js';

describe('for any events and subscribers', () => {
  const types = Object.keys(AGENT_EVENTS);
  const anySubscriber = fc
    .record({
      types: fc.uniqueArray(fc.constantFrom('*', 'tool.*', 'budget.*', ...types), {
        minLength: 1,
        maxLength: 3,
      }),
      severity_filter: fc.constantFrom(...SEVERITIES),
      window_ms: fc.integer({ min: 0, max: 10_000 }),
      max_size: fc.integer({ min: 1, max: 100 }),
      dedupe_window_ms: fc.integer({ min: 0, max: 60_000 }),
      dedupe_key: fc.constantFrom('id', 'type', 'type:payload.n', 'type:source'),
      priority: fc.constantFrom(...PRIORITIES),
      inject_at: fc.constantFrom(...POINTS),
    })
    .map(({ types: wanted, severity_filter, priority, inject_at, ...batching }) =>
      subscriber({
        events: { types: wanted, severity_filter },
        batching,
        output: { priority, inject_at },
      }),
    );
  const anyStep = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constantFrom(...types),
        n: fc.integer({ min: 0, max: 5 }),
        after: fc.integer({ min: 0, max: 3_000 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        point: fc.constantFrom<Point>('turn_start', 'after_tool', 'turn_end'),
      }),
    },
  );
  const anyPlay = fc.record({
    subs: fc.array(anySubscriber, { minLength: 1, maxLength: 5 }),
    steps: fc.array(anyStep, { maxLength: 60 }),
  });
  const named = (subs: Subscriber[]) =>
    subs.map((s, i) => ({ ...s, subscriber: { ...s.subscriber, id: `s${i}`, name: `s${i}` } }));

  /** Plays the steps; `between` may replace the state. */
  function play(
    subs: Subscriber[],
    steps: { type?: string; n?: number; after?: number; point?: Point }[],
    between = (s: NotificationState) => s,
    rules: Rule[] = [],
  ) {
    let ids = 0;
    const worldAt = (now: number): PumpWorld => ({
      ...world(subs, place({ now }), rules),
      mint: () => `m${++ids}`,
    });
    let state = freshNotifications();
    let now = 0;
    const emitted: { event: AgentEvent; step: number }[] = [];
    const told: {
      step: number;
      point: Point;
      text: string;
      rows: ReturnType<typeof deliver>['rows'];
    }[] = [];
    for (const [i, step] of steps.entries()) {
      if (step.point) {
        pump(state, worldAt(now));
        told.push({ step: i, point: step.point, ...deliver(state, step.point, place({ now })) });
      } else {
        now += step.after ?? 0;
        const e = agentEvent({
          id: `e${i}`,
          type: step.type ?? '',
          source: 'w',
          now,
          payload: { n: step.n ?? 0 },
        });
        emitted.push({ event: e, step: i });
        enqueue(state.queue, e);
      }
      state = between(state);
    }
    return { state, emitted, told };
  }

  it('delivers or counts each selected event exactly once, at the first point of its subscriber', () => {
    fc.assert(
      fc.property(anyPlay, ({ subs: given, steps }) => {
        const subs = named(given);
        for (const sub of subs) {
          const { emitted, told } = play([sub], steps);
          const { priority, inject_at } = sub.output;
          const isDelivered = (at: Point) =>
            inject_at === 'immediate' || priority === 'critical' || inject_at === at;
          for (const [i, { step, point, rows }] of told.entries()) {
            const before = told.slice(0, i).findLast((each) => isDelivered(each.point));
            const since = before?.step ?? -1;
            const due = emitted.filter(
              ({ event: e, step: at }) => isSelected(sub, e) && at > since && at < step,
            );
            expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(
              isDelivered(point) ? due.length : 0,
            );
          }
        }
      }),
    );
  });

  it('delivers distinct events once, in order per subscriber', () => {
    fc.assert(
      fc.property(anyPlay, ({ subs: given, steps }) => {
        const subs = named(given).map((sub, i) => ({
          ...sub,
          batching: { ...sub.batching, dedupe_key: 'id' },
          output: { ...sub.output, template: `${i} {{id}}` },
        }));
        const { state, emitted, told } = play(subs, steps);
        pump(state, world(subs, place({ now: 1e6 })));
        const last = POINTS.flatMap((point) => deliver(state, point, place({ now: 1e6 })).rows);
        const texts = [...told.flatMap(({ rows }) => rows), ...last].map(({ text }) => text);
        for (const [i, sub] of subs.entries()) {
          const wanted = emitted.flatMap(({ event: e }) =>
            isSelected(sub, e) ? [`${i} ${e.id}`] : [],
          );
          expect(texts.filter((text) => text.startsWith(`${i} `))).toEqual(wanted);
        }
      }),
    );
  });

  const anyDeferral: fc.Arbitrary<Deferral> = fc.oneof(
    fc.constant({ when: 'next_turn' as const }),
    fc.integer({ min: 1, max: 5 }).map((turns) => ({ when: 'after_n_turns' as const, turns })),
    fc.constantFrom('a', 'b').map((tool) => ({ when: 'after_tool' as const, tool })),
    fc.constantFrom('a', 'b').map((value) => ({
      when: 'on_condition' as const,
      condition: 'tool_completed' as const,
      value,
    })),
    fc.record({
      when: fc.constant('on_condition' as const),
      condition: fc.constantFrom('context_above_threshold', 'token_usage_above'),
      value: fc.constantFrom(0.2, 0.5, 0.8),
    }),
  );
  type Way = {
    turn: number;
    toolsDone: Record<string, number>;
    contextUsage: number;
    tokenUsage: number;
  };
  const isDueNow = (deferral: Deferral, off: Way, at: Way): boolean => {
    switch (deferral.when) {
      case 'next_turn':
        return at.turn > off.turn;
      case 'after_n_turns':
        return at.turn >= off.turn + deferral.turns;
      case 'after_tool':
        return (at.toolsDone[deferral.tool] ?? 0) > (off.toolsDone[deferral.tool] ?? 0);
      case 'on_condition':
        return typeof deferral.value === 'string'
          ? (at.toolsDone[deferral.value] ?? 0) > 0
          : at.tokenUsage > deferral.value;
      case 'next_session':
        return false;
    }
  };
  const anyWay = fc.array(
    fc.record({
      turn: fc.boolean(),
      tool: fc.constantFrom('a', 'b', null),
      usage: fc.integer({ min: 0, max: 9 }),
    }),
    {
      maxLength: 20,
    },
  );

  it('delivers a deferred notification once, at the first point at which it is due, across saves and loads', () => {
    fc.assert(
      fc.property(anyDeferral, anyWay, fc.integer({ min: 0, max: 19 }), (deferral, way, start) => {
        let state = freshNotifications();
        const at: Way = { turn: 1, toolsDone: {}, contextUsage: 0, tokenUsage: 0 };
        let off: Way | undefined;
        let tellings = 0;
        for (const [i, { turn, tool, usage }] of way.entries()) {
          if (turn) at.turn++;
          if (tool) at.toolsDone[tool] = (at.toolsDone[tool] ?? 0) + 1;
          at.contextUsage = at.tokenUsage = usage / 10;
          if (i === start) {
            accumulate(
              state,
              [subscriber()],
              event(1, { payload: { deliver: { ...deferral } } }),
              place(at),
            );
            off = structuredClone(at);
          }
          const isTold = deliver(state, 'turn_end', place(at)).text !== '';
          expect(isTold).toBe(off !== undefined && tellings === 0 && isDueNow(deferral, off, at));
          if (isTold) tellings++;
          state = JSON.parse(JSON.stringify(state)) as NotificationState;
        }
      }),
    );
  });

  it('delivers by priority, and in order within a priority', () => {
    fc.assert(
      fc.property(anyPlay, ({ subs: given, steps }) => {
        const subs = named(given);
        const { state } = play(
          subs,
          steps.filter((step) => !('point' in step)),
        );
        pump(state, world(subs, place({ now: 1e6 })));
        const groups = structuredClone(state.groups);
        const order = (point: Point) => {
          const rows = deliver(structuredClone(state), point, place({ now: 1e6 })).rows.map((row) =>
            JSON.stringify(row),
          );
          const expected = groups
            .filter(
              (g) =>
                g.inject_at === point || g.inject_at === 'immediate' || g.priority === 'critical',
            )
            .toSorted(
              (a, b) =>
                PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
                a.order - b.order,
            );
          expect(rows).toEqual(
            expected.flatMap(({ rows: own }) => own.map((row) => JSON.stringify(row))),
          );
        };
        POINTS.forEach(order);
      }),
    );
  });

  const rulesOf = (...actions: [string, object, boolean?][]): Rule[] =>
    actions.map(([trigger, action, once = false], i) =>
      ruleFile.parse({
        rule: { id: `r${i}`, name: 'r', description: 'r', version: '1.0.0', trigger, once },
        condition: { expression: 'true' },
        action,
      }),
    );
  const someRules = rulesOf(
    [
      'on_tool_failure',
      { type: 'notify_self', message: '{{event.payload.n}} {{state.last}}', category: 'warning' },
    ],
    ['on_tool_failure', { type: 'set_state', key: 'last', value: '{{event.payload.n}}' }],
    ['on_turn_start', { type: 'emit_event', event_type: 'cache.cold', payload: { n: 1 } }, true],
    ['on_session_end', { type: 'emit_event', event_type: 'tool.call.failure', payload: { n: 2 } }],
  );

  it('is not affected by a save and load at any step, with rules and without', () => {
    fc.assert(
      fc.property(anyPlay, fc.boolean(), ({ subs: given, steps }, withRules) => {
        const subs = named(given);
        const rules = withRules ? someRules : [];
        const straight = play(subs, steps, undefined, rules);
        const resumed = play(
          subs,
          steps,
          (state) => JSON.parse(JSON.stringify(state)) as NotificationState,
          rules,
        );
        expect(resumed.told).toEqual(straight.told);
        expect(resumed.state).toEqual(straight.state);
      }),
    );
  });
});
