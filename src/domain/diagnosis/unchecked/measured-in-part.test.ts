import { describe, expect, it } from '@jest/globals';
import {
  ALL_WELL,
  issue,
  measured,
  report,
  SHOP,
} from '../../../../test/support/incidents/measured-shop.js';
import type { AgentReport } from '../agent-report.js';
import { concludeRun } from '../conclude-run.js';
import type { Measurement } from '../measurement.js';

const [, ...OTHERS] = ALL_WELL;
const conclude = (web: Measurement[], reports: AgentReport[] = [], topology = SHOP) =>
  concludeRun(topology, [...web, ...OTHERS], reports).report;
/** The worker of `web` has more tools. */
const withTools = (...more: string[]) => ({
  ...SHOP,
  teams: SHOP.teams.map((team) => ({
    ...team,
    workers: team.workers.map((worker) =>
      worker.node === 'web' ? { ...worker, tools: [...worker.tools, ...more] } : worker,
    ),
  })),
});
const twoTools = withTools('prometheus_metrics');

describe('a node of which a right is missing to see all', () => {
  const hidden = 'The user is no member of pg_monitor: states of others are hidden.';

  it('is unchecked where nothing wrong was seen, and the next step names the right', () => {
    const made = conclude([measured(4, 'web', [], { hidden })]);
    expect(made.verdict).toBe('inconclusive');
    expect(made.unchecked).toEqual([
      { node: 'web', reason: 'FORBIDDEN', detail: hidden, evidence: [4] },
    ]);
    expect(made.next_steps).toMatchObject([
      { node: 'web', text: `Give the diagnosis the right to read: WEB. ${hidden}` },
    ]);
  });

  it('is not unchecked where something wrong was seen', () => {
    expect(conclude([measured(4, 'web', [issue()], { hidden })])).toMatchObject({
      verdict: 'root_cause_found',
      unchecked: [],
    });
  });

  it('is checked by a later look that sees all', () => {
    const looks = [measured(4, 'web', [], { hidden }), measured(7, 'web')];
    expect(conclude(looks).verdict).toBe('healthy');
  });
});

describe('a node that was measured only in part', () => {
  const half = [measured(4, 'web')];
  const worker = (over: Partial<AgentReport>) => [report([], { agentId: '3', ...over })];

  it.each<[string, Partial<AgentReport>, string]>([
    ['the run was cut', { status: null }, 'The run ended before prometheus_metrics had answered.'],
    [
      'its worker met a limit',
      { status: 'partial', reasons: ['LIMIT_REACHED'] },
      'Its worker ended (LIMIT_REACHED) before prometheus_metrics had answered.',
    ],
    [
      'its worker met a limit after a tool had failed',
      { status: 'partial', reasons: ['TOOL_FAILED', 'LIMIT_REACHED'] },
      'Its worker ended (TOOL_FAILED, LIMIT_REACHED) before prometheus_metrics had answered.',
    ],
  ])('is not healthy: %s', (_, over, detail) => {
    const made = conclude(half, worker(over), twoTools);
    expect(made.nodes[0]).toEqual({ node: 'web', state: 'unknown' });
    expect(made.unchecked).toEqual([{ node: 'web', reason: 'NOT_MEASURED', detail }]);
  });

  it('is not healthy if its worker was not sent, by the port that another agent reached', () => {
    const made = conclude([measured(4, 'web', [], { tool: 'tcp_probe' })]);
    expect(made.verdict).toBe('inconclusive');
    const detail = 'No worker was sent to it to call http_probe.';
    expect(made.unchecked).toEqual([{ node: 'web', reason: 'NOT_MEASURED', detail }]);
    expect(made.nodes[0]).toEqual({ node: 'web', state: 'unknown' });
  });

  it('is healthy by the look of the service, and not if the run was cut while a call of it was open', () => {
    const port = measured(4, 'web', [], { tool: 'tcp_probe', byService: true });
    const of = (web: Measurement[], ended: 'completed' | 'cut') =>
      concludeRun(withTools('tcp_probe'), [...web, ...OTHERS], [], { ended }).report;
    const cut = of([port], 'cut');
    const detail = 'The run ended before http_probe had answered.';
    expect(cut.unchecked).toEqual([{ node: 'web', reason: 'NOT_MEASURED', detail }]);
    expect(cut.nodes[0]).toEqual({ node: 'web', state: 'unknown' });
    // All calls of the look have answered.
    expect(of([port, measured(7, 'web', [], { byService: true })], 'cut').unchecked).toEqual([]);
    expect(of([port], 'completed').unchecked).toEqual([]);
  });

  it('is not healthy if one of two workers was not sent', () => {
    const [team] = SHOP.teams;
    const beside = { agentId: '9', name: 'Beside', node: 'web', tools: ['disk_check'] };
    const teams = team ? [{ ...team, workers: [...team.workers, beside] }] : [];
    const made = conclude(half, worker({}), { ...SHOP, teams });
    const detail = 'No worker was sent to it to call disk_check.';
    expect(made.unchecked).toEqual([{ node: 'web', reason: 'NOT_MEASURED', detail }]);
    const sent = [...worker({}), report([], { agentId: '9', dispatchId: 'd1_9' })];
    expect(conclude(half, sent, { ...SHOP, teams }).verdict).toBe('healthy');
  });

  it('names every tool that failed, and each reason once', () => {
    const failing = (sequence: number, tool: string, summary: string) =>
      measured(sequence, 'web', [], { tool, summary, status: 'unavailable' });
    const all = [
      failing(4, 'log_patterns', 'source logs: no answer'),
      failing(5, 'metrics_check', 'source vm: refused'),
      failing(6, 'metrics_compare', 'source vm: refused'),
    ];
    const { unchecked } = concludeRun(SHOP, all, [report([])]).report;
    expect(unchecked.find(({ node }) => node === 'web')).toMatchObject({
      detail:
        'metrics_compare could not measure: source vm: refused; log_patterns could not measure: source logs: no answer',
      evidence: [4, 6],
    });
  });

  it('is not healthy if one of its tools failed', () => {
    const broken = measured(5, 'web', [], { tool: 'prometheus_metrics', status: 'unavailable' });
    const made = conclude([...half, broken], [], twoTools);
    expect(made.unchecked).toMatchObject([{ node: 'web', reason: 'SOURCE_UNAVAILABLE' }]);
    expect(made.verdict).toBe('inconclusive');
  });

  it('is healthy if its worker has finished, or if a tool of another worker failed on it', () => {
    expect(conclude(half, worker({}), twoTools).verdict).toBe('healthy');
    const foreign = measured(7, 'web', [], { tool: 'redis_inspect', status: 'unavailable' });
    expect(conclude([...half, foreign], worker({})).verdict).toBe('healthy');
  });

  const records = ['trace_search', 'log_search', 'metrics_query', 'kubernetes_events'];
  const withRecords = withTools(...records);

  it.each(
    records.flatMap((tool) => [
      [tool, { status: 'denied', code: 'FORBIDDEN' }, 'FORBIDDEN'] as const,
      [tool, { status: 'unavailable' }, 'SOURCE_UNAVAILABLE'] as const,
    ]),
  )('is not healthy if %s only reads records and had no answer: %j', (tool, failed, reason) => {
    const refused = measured(7, 'web', [], { tool, measures: 'records', ...failed });
    const made = conclude([...half, refused], worker({}), withRecords);
    expect(made.unchecked).toMatchObject([{ node: 'web', reason }]);
    expect(made.nodes[0]).toEqual({ node: 'web', state: 'unknown' });
    expect(made.verdict).toBe('inconclusive');
  });

  it.each(records)('is healthy if %s answered once, or nothing was recorded', (tool) => {
    const call = (sequence: number, over: Partial<Measurement> = {}) =>
      measured(sequence, 'web', [], { tool, measures: 'records', subject: `${sequence}`, ...over });
    const late = call(7, { status: 'unavailable' });
    expect(conclude([...half, late, call(8)], worker({}), withRecords).verdict).toBe('healthy');
    const none = call(7, { status: 'unavailable', code: 'NOT_RECORDED' });
    expect(conclude([...half, none], worker({}), withRecords).verdict).toBe('healthy');
  });

  it('is healthy if its port accepts and no telemetry of it was recorded', () => {
    const none = { status: 'unavailable', code: 'NOT_RECORDED', measures: 'records' } as const;
    const spans = measured(7, 'db', [], { ...none, tool: 'trace_search' });
    expect(conclude([...half, spans], worker({}), withRecords).verdict).toBe('healthy');
  });

  it('keeps what was found', () => {
    const made = conclude([measured(4, 'web', [issue()])], worker({ status: null }), twoTools);
    expect(made.nodes[0]).toEqual({ node: 'web', state: 'failed' });
  });
});
