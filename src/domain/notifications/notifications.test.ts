import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { agentEvent, AGENT_EVENTS, SEVERITIES, type AgentEvent } from './agent-event.js';
import { accumulate, isSelected } from './accumulate.js';
import { deliver } from './deliver.js';
import type { Deferral, DeliveryContext } from './deferral.js';
import { enqueue, QUEUE_SIZE } from './event-queue.js';
import { freshNotifications, type NotificationState } from './notification-state.js';
import { pump, type PumpWorld } from './pump.js';
import { ruleFile, type Rule } from './rule.js';
import { POINTS, PRIORITIES, subscriberFile, type Point, type Subscriber } from './subscriber.js';

const place = (more: Partial<DeliveryContext> = {}): DeliveryContext => ({
  now: 0,
  turn: 1,
  toolsDone: {},
  contextUsage: 0,
  tokenUsage: 0,
  messages: 0,
  ...more,
});

interface Parts {
  subscriber?: object;
  events?: object;
  batching?: object;
  output?: object;
}

const subscriber = ({ subscriber: head, events, batching, output }: Parts = {}): Subscriber =>
  subscriberFile.parse({
    subscriber: { id: 'sub', name: 'Sub', description: 'For a test', version: '1.0.0', ...head },
    events: { types: ['tool.*'], severity_filter: 'debug', ...events },
    batching: { dedupe_key: 'id', ...batching },
    output: { template: 'seen: {{payload.n}}', inject_at: 'after_tool', ...output },
  });

const event = (n: number, more: Partial<Parameters<typeof agentEvent>[0]> = {}): AgentEvent =>
  agentEvent({
    id: `e${n}`,
    type: 'tool.call.failure',
    source: 'w1',
    now: 0,
    payload: { n },
    ...more,
  });

let minted = 0;
const world = (subscribers: Subscriber[], at: DeliveryContext, rules: Rule[] = []): PumpWorld => ({
  subscribers,
  rules,
  at,
  contextOf: () => ({}),
  test: () => ({ holds: true }),
  mint: () => `minted${++minted}`,
});

describe('an event', () => {
  it('has the severity of its type unless one is given', () => {
    expect(
      agentEvent({ id: 'x', type: 'budget.token.exceeded', source: 'w', now: 0 }),
    ).toMatchObject({
      severity: 'error',
      timestamp: '1970-01-01T00:00:00.000Z',
      dedupe_key: 'budget.token.exceeded:w',
    });
    expect(agentEvent({ id: 'x', type: 'toString', source: 'w', now: 0 }).severity).toBe('info');
  });
});

describe('the queue', () => {
  it('drops the oldest event of the lowest severity, and never error or critical', () => {
    const queue = freshNotifications().queue;
    for (let n = 0; n < QUEUE_SIZE; n++)
      enqueue(queue, event(n, { severity: n % 2 ? 'info' : 'debug' }));
    enqueue(queue, event(-1, { severity: 'warning' }));
    expect(queue).toMatchObject({ dropped: 1 });
    expect(queue.events.map(({ id }) => id)).not.toContain('e0');
    enqueue(queue, event(-2, { severity: 'debug' }));
    expect(queue.events.map(({ id }) => id)).not.toContain('e2');
    const full = freshNotifications().queue;
    for (let n = 0; n < QUEUE_SIZE + 5; n++) enqueue(full, event(n, { severity: 'error' }));
    enqueue(full, event(-3, { severity: 'warning' }));
    expect([full.events.length, full.dropped]).toEqual([QUEUE_SIZE + 5, 1]);
  });
});

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

describe('rules', () => {
  const rule = (id: string, priority: number, action: object, more: object = {}): Rule =>
    ruleFile.parse({
      rule: {
        id,
        name: id,
        description: id,
        version: '1.0.0',
        trigger: 'on_tool_failure',
        priority,
        ...more,
      },
      condition: { expression: 'true' },
      action,
    });
  const log = (message: string) => ({ type: 'log', message });
  const run = (rules: Rule[], more: Partial<PumpWorld> = {}, state = freshNotifications()) => {
    enqueue(state.queue, event(1));
    const notes = subscriber({
      events: { types: ['agent.self.notify'] },
      output: { template: '{{payload.category}}: {{payload.message}}' },
    });
    return { state, ...pump(state, { ...world([notes], place(), rules), ...more }) };
  };

  it('all fire that match, even if one fails', () => {
    const rules = [rule('a', 300, log('a')), rule('b', 200, log('b')), rule('c', 100, log('c'))];
    const test = ({ rule: { id } }: Rule) =>
      id === 'b' ? { error: 'no such key' } : { holds: true };
    const first = run(rules, { test });
    expect(first.logs.map(({ message }) => message)).toEqual(['a', 'c']);
    expect(first.failures).toEqual([{ rule: 'b', error: 'no such key' }]);
    expect(run(rules, { test }, first.state).failures).toEqual([]);
  });

  it('that take too long are not evaluated again', () => {
    const asked: string[] = [];
    const test = ({ rule: { id } }: Rule) => (asked.push(id), { error: 'late', late: true });
    const { state } = run([rule('a', 1, log('a'))], { test });
    run([rule('a', 1, log('a'))], { test }, state);
    expect(asked).toEqual(['a']);
  });

  it('with "once" fire once', () => {
    const rules = [rule('a', 1, log('a'), { once: true })];
    const { state, logs } = run(rules);
    expect([logs.length, run(rules, {}, state).logs.length]).toEqual([1, 0]);
  });

  it('notify, set state for later rules, and emit events for subscribers', () => {
    const rules = [
      rule('set', 3, { type: 'set_state', key: 'kind', value: '{{event.payload.n}}th' }),
      rule('note', 2, {
        type: 'notify_self',
        message: 'look: {{state.kind}} {{event.type}}',
        category: 'warning',
        deliver_at: 'after_tool',
      }),
      rule('emit', 1, {
        type: 'emit_event',
        event_type: 'agent.self.notify',
        payload: { message: 'own', category: 'x' },
      }),
    ];
    const { state } = run(rules);
    expect(state.state).toEqual({ kind: '1th' });
    expect(deliver(state, 'after_tool', place()).text).toBe(
      '[system notification]\nSub: 2\n- warning: look: 1th tool.call.failure\n- x: own',
    );
  });

  it('that trigger themselves stop', () => {
    const rules = [
      rule('echo', 1, { type: 'emit_event', event_type: 'tool.call.failure' }),
      rule('log', 2, log('x')),
    ];
    expect(run(rules).logs.length).toBe(3);
  });
});

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
          for (const [i, { step, point, rows }] of told.entries()) {
            const isOurs =
              inject_at === 'immediate' || priority === 'critical' || inject_at === point;
            const since =
              told
                .slice(0, i)
                .findLast(
                  (t) =>
                    inject_at === 'immediate' || priority === 'critical' || inject_at === t.point,
                )?.step ?? -1;
            const due = emitted.filter(
              ({ event: e, step: at }) => isSelected(sub, e) && at > since && at < step,
            );
            expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(isOurs ? due.length : 0);
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
