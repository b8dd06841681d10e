import { beforeEach, expect, it } from '@jest/globals';
import { started } from '../../../test/support/incidents/drafts.js';
import type { DraftEvent, Source } from '../../domain/events/event.js';
import { Instruments } from './instruments.js';
import { LogMetrics } from './log-metrics.js';

let instruments: Instruments;
let metrics: LogMetrics;
beforeEach(() => {
  instruments = new Instruments();
  metrics = new LogMetrics(instruments);
});

const turn = { dispatch_id: 'd1_1', turn: 1, attempt: 1 };
const source: Source = {
  agent_id: '3',
  agent_type: 'team_supervisor',
  agent_name: 'W',
  team_name: 'T',
};
const result = (tool: string, status: 'ok' | 'error'): DraftEvent => ({
  name: 'llm.tool_result',
  source,
  data: {
    ...turn,
    tool,
    status,
    result: {},
    tool_call_id: 't',
    duration_ms: 250,
    truncated: false,
  },
});
const usage = (finish_reason: string): DraftEvent => ({
  name: 'llm.usage',
  source,
  data: {
    ...turn,
    model: 'm',
    input_tokens: 10,
    output_tokens: 5,
    finish_reason,
    cost: 0.5,
    context_tokens: 0,
    max_context_tokens: 0,
    duration_ms: 1_000,
    waited_ms: 0,
    first_token_ms: 100,
    queued_ms: 20,
  },
});
const text = () => instruments.registry.metrics();

it('counts bytes of logs, approvals, and how late events are received', async () => {
  metrics.appended([started], { tookMs: 1, bytes: 700 });
  metrics.received(250);
  const asked = { name: 'system.approval', source, data: {} } as unknown as DraftEvent;
  const ended = result('restart_process', 'ok');
  const approval = { approval_id: 't', decision: 'deny', by: 'ann' };
  const denied = { ...ended, data: { ...ended.data, approval } } as DraftEvent;
  metrics.appended([asked, denied], { tookMs: 1, bytes: 300 });
  for (const sample of [
    'consilium_log_bytes_total 1000',
    'consilium_approvals_total{outcome="asked"} 1',
    'consilium_approvals_total{outcome="deny"} 1',
    'consilium_feed_lag_seconds_sum 0.25',
  ])
    expect(await text()).toContain(`${sample}\n`);
});

it('counts probes that egress rules refuse', async () => {
  const refused = result('http_probe', 'error');
  for (const code of ['EGRESS_DENIED', 'FORBIDDEN']) {
    const data = { ...refused.data, status: 'denied', result: { code } };
    metrics.appended([{ ...refused, data } as DraftEvent], { tookMs: 1, bytes: 100 });
  }
  expect(await text()).toContain('consilium_egress_denied_total 1\n');
});

it('counts calls of models with their tokens, cost and times', async () => {
  metrics.appended([usage('stop'), usage('error')], { tookMs: 3, bytes: 700 });
  const found = await text();
  for (const sample of [
    'consilium_model_requests_total{model="m",outcome="ok"} 1',
    'consilium_model_requests_total{model="m",outcome="error"} 1',
    'consilium_model_tokens_total{model="m",direction="input"} 20',
    'consilium_model_tokens_total{model="m",direction="output"} 10',
    'consilium_model_cost_total{model="m"} 1',
    'consilium_model_first_token_seconds_sum{model="m"} 0.2',
    'consilium_job_wait_seconds_sum{queue="team-supervisor"} 0.04',
    'consilium_log_append_duration_seconds_sum 0.003',
  ])
    expect(found).toContain(`${sample}\n`);
});

it('counts tools by name only if they exist: an invented one never answers', async () => {
  const invented = Array.from({ length: 50 }, (_, i) => result(`invented_${i}`, 'error'));
  metrics.appended([result('tcp_probe', 'ok'), result('tcp_probe', 'error'), ...invented], {
    tookMs: 1,
    bytes: 1,
  });
  const found = await text();
  expect(found).toContain('consilium_tool_calls_total{tool="tcp_probe",status="error"} 1\n');
  expect(found).toContain('consilium_tool_calls_total{tool="other",status="error"} 50\n');
  expect(found).not.toContain('invented');
});

it('counts a tool of the service by name, although it has only failed', async () => {
  metrics.addTools(['metrics_check']);
  metrics.appended([result('metrics_check', 'error')], { tookMs: 1, bytes: 1 });
  expect(await text()).toContain(
    'consilium_tool_calls_total{tool="metrics_check",status="error"} 1\n',
  );
});

it('counts starts of runs, and agents whose processes were lost', async () => {
  const warning: DraftEvent = {
    name: 'system.warning',
    source,
    data: { code: 'AGENT_RESUMED', message: 'm' },
  };
  const report: DraftEvent = {
    name: 'dispatch.report',
    source,
    data: {
      dispatch_id: 'd1',
      status: 'failed',
      reasons: ['AGENT_CRASHED'],
      summary: '',
      findings: [],
    },
  };
  metrics.appended([started, warning, report], { tookMs: 1, bytes: 1 });
  const found = await text();
  for (const sample of [
    'consilium_runs_started_total{kind="diagnosis"} 1',
    'consilium_agent_resumes_total{role="team_supervisor"} 1',
    'consilium_agent_crashes_total 1',
  ])
    expect(found).toContain(`${sample}\n`);
});

it('counts errors of providers by their known codes', async () => {
  const warning = (code: string): DraftEvent => ({
    name: 'system.warning',
    source,
    data: { code, message: 'm' },
  });
  metrics.appended([warning('OVERLOADED'), warning('MADE_UP')], { tookMs: 1, bytes: 1 });
  const found = await text();
  expect(found).toContain('consilium_model_errors_total{code="OVERLOADED"} 1\n');
  expect(found).not.toContain('MADE_UP');
});
