import { describe, expect, it } from '@jest/globals';
import type { NamedEvent, EventData } from '../../domain/events/event.js';
import type { Hierarchy } from '../../domain/topology/hierarchy.js';
import { ansi } from './paint.js';
import { createRenderer } from './render.js';
import {
  GLOBAL,
  full,
  recorder,
  redisFull,
  turn,
} from '../../../test/support/streams/shop-events.js';

const rendered = (events: NamedEvent[], options = {}): string => {
  const render = createRenderer({ columns: 100, ...options });
  return events.flatMap(render).join('\n');
};

const spent = (cost: number, total_tokens: number): EventData['llm.usage'] => ({
  ...turn(null),
  model: 'm',
  input_tokens: 100,
  output_tokens: 50,
  total_tokens,
  context_tokens: 0,
  max_context_tokens: 9,
  finish_reason: 'stop',
  cost,
});

describe('createRenderer', () => {
  it('says what it cost beside the tokens, where the models have prices', () => {
    const { events, add } = recorder();
    add('llm.usage', GLOBAL, spent(0.0012, 1_500));
    add('llm.usage', GLOBAL, spent(0.0014, 3_000));
    expect(rendered([...events, ...redisFull()])).toMatch(/, 3,000 tokens \(cost 0\.0026\)\n/);
    expect(rendered(redisFull())).not.toContain('cost');
  });

  it('shows that a tool is running only if it takes longer than a few seconds', () => {
    const { events, add } = recorder();
    const warn = (elapsed_ms: number) =>
      add('system.warning', GLOBAL, {
        code: 'TOOL_RUNNING',
        message: `still running after ${elapsed_ms / 1_000} s`,
        tool: 'http_probe',
        tool_call_id: 't1',
        elapsed_ms,
      });
    [1_000, 6_000, 11_000].forEach(warn);
    const shown = rendered([...redisFull().slice(0, 2), ...events]);
    expect(shown.match(/TOOL_RUNNING: still running after \d+ s/g)).toEqual([
      'TOOL_RUNNING: still running after 6 s',
      'TOOL_RUNNING: still running after 11 s',
    ]);
  });

  it('shows a run as it happens, each line with its speaker, then its report', () => {
    expect(rendered(redisFull())).toBe(`Shop
“Orders fail.”
2 nodes, 1 team, 4 agents · run run-1

  0.04s  Global Supervisor               · Two nodes, one team: look at everything.
  0.04s  Global Supervisor               → Payment Gateway: Check Payments and its Redis.
  0.05s    Payment Gateway Supervisor    → Prober: Check Payments.
  0.06s    Payment Gateway Supervisor    → Redis Inspector: Check Payments Redis.
  0.10s      Prober                      · I ask Payments three times.
  0.10s      Prober                      ⋯ http_probe Payments (tries 3)
  0.11s      Redis Inspector             · I look into
  0.11s      Redis Inspector             ⋯ redis_inspect Payments Redis
  0.12s      Prober                      ✗ http_probe Payments: answered 500 in 3 ms (median
                                           of 3)  231 ms
  0.13s      Redis Inspector             ✗ redis_inspect Payments Redis: memory 105 % of 8.0 MB,
                                           policy noeviction  12 ms
  0.14s      Prober                      ← Payments answers 500.  90 ms
  0.15s      Redis Inspector             ← Payments Redis is full.  90 ms
  0.16s    Payment Gateway Supervisor    ← Redis is full, so Payments fails.  120 ms

${'─'.repeat(100)}
✗ Root cause found
  Payments Redis is full. Found 0 warnings, 2 critical issues.

  Payments ✗ → Payments Redis ✗ root cause

Root cause
  ✗ Payments Redis: refuses writes: memory is full  89 % sure
    #14 redis_inspect on Payments Redis: memory 105 % of 8.0 MB, policy noeviction

Findings (2 critical, 0 warning, 0 info)
  ✗ Payments Redis: refuses writes: memory is full
    8.4 of 8.0 MB used, policy noeviction.
    see above: #14
  ✗ Payments: answers 500 Internal Server Error
    3 of 3 tries failed. Downstream of Payments Redis, which it depends on.
    #13 http_probe on Payments: answered 500 in 3 ms (median of 3)

Not checked
  ? mail: no tool for its kind

2 nodes, 4 agents, 2 tool calls, 170 ms
Run run-1`);
  });

  it('gives each line at the event that completes it, none before', () => {
    const render = createRenderer();
    const counts = redisFull().map((event) => render(event).length);
    expect(counts.slice(2, 12)).toEqual([0, 0, 2, 1, 1, 0, 0, 0, 2, 2]);
  });

  it('does not say twice what an agent says last and then reports', () => {
    const events = redisFull();
    const said = {
      ...events[9],
      data: { ...turn('d2'), turn: 2, content: 'Payments answers 500.' },
    } as NamedEvent;
    const text = rendered([...events.slice(0, 14), said, ...events.slice(14)]);
    expect(text.match(/Payments answers 500\./g)).toHaveLength(1);
  });

  it('does not say twice what the agent at the top concludes', () => {
    const events = redisFull();
    const last = events.at(-1) as Extract<NamedEvent, { name: 'lifecycle.completed' }>;
    const { summary } = last.data;
    const said = (content: string) =>
      ({
        ...events[1],
        name: 'llm.stream',
        source: GLOBAL,
        data: { ...turn(null), turn: 9, content },
      }) as NamedEvent;
    const live = (content: string) =>
      rendered([...events.slice(0, -1), said(content), last]).split('───')[0];
    expect(live(summary)).not.toContain(summary);
    expect(live(`${summary} I would look at the disk.`)).toMatch(/· I would look at the disk\.$/m);
  });

  it('says once what the agents repeat, and what a next step says', () => {
    const events = redisFull();
    const last = events.at(-1) as Extract<NamedEvent, { name: 'lifecycle.completed' }>;
    const { report } = last.data;
    if (!report) throw new Error('no report');
    const text = (narrative: string) => {
      const told = {
        ...report,
        headline: 'Redis is full. Apart from that, Box deserves attention.',
        impact: 'Payments is affected by it.',
        narrative,
        unchecked: [{ node: 'mail', reason: 'FORBIDDEN', detail: 'It wants a password.' }],
        next_steps: [
          { text: 'Give the right: mail. It wants a password.', access: 'read' as const },
        ],
      };
      const data = { ...last.data, summary: `${told.headline} Found 2.`, report: told };
      return rendered([...events.slice(0, -1), { ...last, data }]);
    };
    expect(text('Redis is full. Payments is affected by it.')).not.toContain('words of the agents');
    expect(text('Redis is full. Add memory.')).toContain('In the words of the agents: Add memory.');
    expect(text('').match(/It wants a password/g)).toHaveLength(1);
    expect(text('')).toContain(
      '? mail: the diagnosis lacks a right to read it; see the next steps',
    );
  });

  it('colours without moving anything', () => {
    const coloured = rendered(redisFull(), { paint: ansi });
    expect(coloured).not.toBe(rendered(redisFull()));
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(rendered(redisFull()));
  });

  it('draws the path one node below the other where the terminal is narrow', () => {
    const events = redisFull();
    const topology = events[1] as NamedEvent & { name: 'system.topology' };
    const hierarchy = topology.data.hierarchy as unknown as Hierarchy;
    hierarchy.nodes[0] = {
      id: 'payments',
      name: 'The payments service of the shop',
      kind: 'service',
      depends_on: ['redis'],
    };
    hierarchy.nodes[1] = {
      id: 'redis',
      name: 'The Redis of the payments service',
      kind: 'redis',
      depends_on: [],
    };
    expect(rendered(events, { columns: 70 })).toContain(
      '\n  The payments service of the shop ✗\n  └→ The Redis of the payments service ✗ root cause\n',
    );
  });

  it('L2: shows nothing that could steer the terminal', () => {
    const events = redisFull();
    const result = events[12] as NamedEvent & { name: 'llm.tool_result' };
    result.data.result = {
      status: 'failed',
      summary: 'answered \u001b]0;owned\u0007\u001b[2J\r\n500 \u009b31m\u202egnp',
    };
    const text = rendered(events);
    expect(text).toContain('http_probe Payments: answered ]0;owned [2J 500');
    expect(text).not.toMatch(/[\u001b\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it('says how a run was cancelled or failed, and what was known by then', () => {
    const report = {
      verdict: 'issues_found',
      root_causes: [],
      findings: [full],
      unchecked: [],
      counts: { critical: 1, warning: 0, info: 0 },
    } as const;
    const until = redisFull().slice(0, 16);
    const end = (name: string, data: object) =>
      rendered([...until, { ...redisFull()[17], name, data } as NamedEvent]);
    expect(
      end('lifecycle.cancelled', { reason: 'Execution was cancelled by user', report }),
    ).toMatch(
      /■ Cancelled\n {2}Execution was cancelled by user\n[^]*Payments Redis: refuses writes/,
    );
    expect(
      end('lifecycle.failed', {
        error: 'the time is up',
        code: 'DEADLINE',
        retryable: true,
        report,
      }),
    ).toContain('✗ The run failed (DEADLINE)\n  the time is up');
  });

  it('passes over events that it does not know', () => {
    const events = redisFull();
    const render = createRenderer();
    render(events[0] as NamedEvent);
    expect(render({ ...events[2], name: 'llm.later', data: {} } as unknown as NamedEvent)).toEqual(
      [],
    );
  });
});
