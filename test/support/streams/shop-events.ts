import type { NamedEvent, EventData, EventName, Source } from '../../../src/domain/events/event.js';
import type { Finding } from '../../../src/domain/diagnosis/finding.js';

/** The agent that leads the diagnosis. */
export const GLOBAL: Source = {
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
/** The fields that each event of a turn has. */
export const turn = (dispatch_id: string | null) => ({ dispatch_id, turn: 1, attempt: 1 });

/** A log as the service writes it: sequences from 1, 10 ms apart. */
export function recorder() {
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

/** The root cause of `redisFull`. */
export const full: Finding = {
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

/** The events of a diagnosis of two nodes whose Redis is full. */
export function redisFull(): NamedEvent[] {
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
