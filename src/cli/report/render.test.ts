import { describe, expect, it } from '@jest/globals';
import type { NamedEvent, EventData, EventName, Source } from '../../domain/events/event.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import type { Hierarchy } from '../../domain/topology/hierarchy.js';
import { ansi } from './paint.js';
import { createRenderer } from './render.js';

const GLOBAL: Source = {
  agent_id: '10',
  agent_type: 'global_supervisor',
  agent_name: 'Global Supervisor',
  team_name: null,
};
const TEAM: Source = {
  agent_id: '30',
  agent_type: 'team_supervisor',
  agent_name: 'Payment Gateway Supervisor',
  team_name: 'Payment Gateway',
};
const PROBER: Source = {
  agent_id: '31',
  agent_type: 'worker',
  agent_name: 'Prober',
  team_name: 'Payment Gateway',
};
const INSPECTOR: Source = {
  agent_id: '32',
  agent_type: 'worker',
  agent_name: 'Redis Inspector',
  team_name: 'Payment Gateway',
};
const turn = (dispatch_id: string | null) => ({ dispatch_id, turn: 1, attempt: 1 });

/** A log as the service writes it: sequences from 1, 10 ms apart. */
function recorder() {
  const events: NamedEvent[] = [];
  const add = <Name extends EventName>(
    name: Name,
    source: Source | null,
    data: EventData[Name],
    ms = events.length * 10,
  ): void => {
    const [category = '', action = ''] = name.split('.');
    const timestamp = new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
    events.push({
      name,
      run_id: 'run-1',
      timestamp,
      sequence: events.length + 1,
      source,
      event: { category, action },
      data,
    } as NamedEvent);
  };
  return { events, add };
}

const full: Finding = {
  node: 'redis',
  severity: 'critical',
  title: 'refuses writes: memory is full',
  detail: '8.4 of 8.0 MB used, policy noeviction.',
  evidence: [14],
};
const broken: Finding = {
  node: 'payments',
  severity: 'critical',
  title: 'answers 500 Internal Server Error',
  detail: '3 of 3 tries failed. Downstream of Payments Redis, which it depends on.',
  evidence: [13],
};

function redisFull(): NamedEvent[] {
  const { events, add } = recorder();
  add('lifecycle.started', null, {
    kind: 'diagnosis',
    topology_id: 123,
    topology_name: 'Shop',
    user_message: 'Orders fail.',
  });
  add('system.topology', null, {
    hierarchy: {
      topology_id: 123,
      version: 1,
      global_supervisor: { agent_id: '10', agent_name: 'Global Supervisor' },
      teams: [
        {
          team_name: 'Payment Gateway',
          supervisor: { agent_id: '30', agent_name: 'Payment Gateway Supervisor' },
          nodes: ['payments', 'redis'],
          workers: [
            { agent_id: '31', agent_name: 'Prober', node: 'payments', tools: ['http_probe'] },
            {
              agent_id: '32',
              agent_name: 'Redis Inspector',
              node: 'redis',
              tools: ['redis_inspect'],
            },
          ],
        },
      ],
      nodes: [
        { id: 'payments', name: 'Payments', kind: 'service', depends_on: ['redis'] },
        { id: 'redis', name: 'Payments Redis', kind: 'redis', depends_on: [] },
      ],
    },
  });
  add('llm.reasoning', GLOBAL, { ...turn(null), thought: 'Two nodes, ' });
  add('llm.reasoning', GLOBAL, { ...turn(null), thought: 'one team: look at everything.' });
  add('dispatch.team', GLOBAL, {
    team_name: 'Payment Gateway',
    task: 'Check Payments and its Redis.',
    dispatch_id: 'd1',
    agent_id: '30',
  });
  add('dispatch.worker', TEAM, {
    worker_name: 'Prober',
    task: 'Check Payments.',
    dispatch_id: 'd2',
    agent_id: '31',
  });
  add('dispatch.worker', TEAM, {
    worker_name: 'Redis Inspector',
    task: 'Check Payments Redis.',
    dispatch_id: 'd3',
    agent_id: '32',
  });
  add('llm.stream', PROBER, { ...turn('d2'), content: 'I ask ' });
  add('llm.stream', INSPECTOR, { ...turn('d3'), content: 'I look into ' });
  add('llm.stream', PROBER, { ...turn('d2'), content: 'Payments three times.' });
  add('llm.tool_call', PROBER, {
    ...turn('d2'),
    tool: 'http_probe',
    args: { node: 'payments', tries: 3 },
    tool_call_id: 'c1',
  });
  add('llm.tool_call', INSPECTOR, {
    ...turn('d3'),
    tool: 'redis_inspect',
    args: { node: 'redis' },
    tool_call_id: 'c2',
  });
  const answer = (
    tool: string,
    tool_call_id: string,
    result: object,
    { dispatch, ms: duration_ms }: { dispatch: string; ms: number },
  ) =>
    ({
      ...turn(dispatch),
      tool,
      tool_call_id,
      result,
      status: 'ok',
      duration_ms,
      truncated: false,
    }) as EventData['llm.tool_result'];
  const probed = {
    status: 'failed',
    summary: 'answered 500 in 3 ms (median of 3)',
    measurements: {},
    issues: [],
  };
  const inspected = {
    status: 'failed',
    summary: 'memory 105 % of 8.0 MB, policy noeviction',
    measurements: {},
    issues: [],
  };
  add('llm.tool_result', PROBER, answer('http_probe', 'c1', probed, { dispatch: 'd2', ms: 231 }));
  add(
    'llm.tool_result',
    INSPECTOR,
    answer('redis_inspect', 'c2', inspected, { dispatch: 'd3', ms: 12 }),
  );
  const report = (dispatch_id: string, summary: string, findings: Finding[]) =>
    ({ dispatch_id, status: 'ok', reasons: [], summary, findings }) as EventData['dispatch.report'];
  add('dispatch.report', PROBER, report('d2', 'Payments answers 500.', [broken]));
  add('dispatch.report', INSPECTOR, report('d3', 'Payments Redis is full.', [full]));
  add('dispatch.report', TEAM, report('d1', 'Redis is full, so Payments fails.', [full, broken]));
  add('lifecycle.completed', GLOBAL, {
    summary: 'Payments Redis is full. Found 0 warnings, 2 critical issues.',
    partial: false,
    reasons: [],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    report: {
      verdict: 'root_cause_found',
      root_causes: [
        {
          node: 'redis',
          title: 'Payments Redis: refuses writes: memory is full',
          confidence: 0.89,
          evidence: [14],
        },
      ],
      findings: [full, broken],
      unchecked: [{ node: 'mail', reason: 'no tool for its kind' }],
      counts: { critical: 2, warning: 0, info: 0 },
    },
  });
  return events;
}

const rendered = (events: NamedEvent[], options = {}): string => {
  const render = createRenderer({ columns: 100, ...options });
  return events.flatMap(render).join('\n');
};

const spent = (cost: number, total_tokens: number): EventData['llm.usage'] => ({
  ...turn(null),
  ...{
    model: 'm',
    input_tokens: 100,
    output_tokens: 50,
    total_tokens,
    context_tokens: 0,
    max_context_tokens: 9,
    finish_reason: 'stop',
    cost,
  },
});

describe('createRenderer', () => {
  it('says what it cost beside the tokens, where the models have prices', () => {
    const { events, add } = recorder();
    add('llm.usage', GLOBAL, spent(0.0012, 1_500));
    add('llm.usage', GLOBAL, spent(0.0014, 3_000));
    expect(rendered([...events, ...redisFull()])).toMatch(/, 3,000 tokens \(cost 0\.0026\)\n/);
    expect(rendered(redisFull())).not.toContain('cost');
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
