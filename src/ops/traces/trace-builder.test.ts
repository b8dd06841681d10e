import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { NamedEvent, Source } from '../../domain/events/event.js';
import type { ExportedSpan } from './span.js';
import { TraceBuilder } from './trace-builder.js';

const RUN = '01a201db-11c3-73f8-b229-38c2e021b4ad';
const HEAD = { kind: 'diagnosis', topologyId: 7, topologyName: 'Shop' } as const;
const T0 = Date.parse('2026-11-22T12:00:00.000Z');
const SECRET = 'the text of a prompt';

const sourceOf = (agent_name: string): Source => ({
  agent_id: agent_name,
  agent_type: 'worker',
  agent_name,
  team_name: null,
});
let sequence = 0;
const event = (
  name: NamedEvent['name'],
  seconds: number,
  agent: string | null,
  data: object,
): NamedEvent =>
  ({
    name,
    run_id: RUN,
    sequence: ++sequence,
    data,
    timestamp: new Date(T0 + seconds * 1_000).toISOString(),
    source: agent === null ? null : sourceOf(agent),
  }) as unknown as NamedEvent;
const turn = (dispatch_id: string | null, number = 1) => ({
  dispatch_id,
  turn: number,
  attempt: 1,
});
const usage = (dispatch_id: string | null, at: number, agent: string, more: object = {}) =>
  event('llm.usage', at, agent, {
    ...turn(dispatch_id),
    model: 'openai/m',
    input_tokens: 10,
    output_tokens: 5,
    finish_reason: 'stop',
    duration_ms: 1_000,
    waited_ms: 500,
    first_token_ms: 200,
    ...more,
  });
const tool = (dispatch_id: string, at: number, status = 'ok') =>
  event('llm.tool_result', at, 'W', {
    ...turn(dispatch_id),
    tool: 'tcp_probe',
    tool_call_id: `${dispatch_id}_t1`,
    status,
    node: 'web',
    result: { text: SECRET },
    duration_ms: 250,
    truncated: false,
  });
const dispatched = (at: number, from: string, dispatch_id: string, agent_id: string) =>
  event(dispatch_id.includes('_') ? 'dispatch.worker' : 'dispatch.team', at, from, {
    team_name: agent_id,
    worker_name: agent_id,
    task: SECRET,
    dispatch_id,
    agent_id,
  });
const reported = (at: number, agent: string, dispatch_id: string, status = 'ok') =>
  event('dispatch.report', at, agent, {
    dispatch_id,
    status,
    reasons: status === 'ok' ? [] : ['AGENT_CRASHED'],
    summary: SECRET,
    findings: [],
  });
const failed = (at: number) =>
  event('lifecycle.failed', at, null, { error: SECRET, code: 'DEADLINE', report: null });
const completed = (at: number) =>
  event('lifecycle.completed', at, 'Top', { summary: SECRET, report: { verdict: 'degraded' } });

const traceOf = (events: NamedEvent[], caller?: { traceId: string; spanId: string }) => {
  const builder = new TraceBuilder({
    runId: RUN,
    head: HEAD,
    createdAt: T0,
    caller: caller && { ...caller, sampled: true },
    providerOf: (model) => model.split('/')[0],
  });
  events.forEach((each) => builder.take(each));
  return builder.trace();
};
const named = (spans: ExportedSpan[], name: string): ExportedSpan => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`no span ${name}: ${spans.map((span) => span.name).join(', ')}`);
  return found;
};
const parentOf = (spans: ExportedSpan[], name: string) =>
  spans.find(({ spanId }) => spanId === named(spans, name).parentId)?.name;

const DIAGNOSIS = [
  usage(null, 2, 'Top'),
  dispatched(2, 'Top', 'd1', 'Team'),
  usage('d1', 4, 'Team'),
  dispatched(4, 'Team', 'd1_1', 'W'),
  usage('d1_1', 6, 'W'),
  tool('d1_1', 7, 'timeout'),
  event('system.warning', 7, 'W', { code: 'AGENT_RESUMED', message: SECRET, dispatch_id: 'd1_1' }),
  reported(8, 'W', 'd1_1', 'failed'),
  reported(9, 'Team', 'd1'),
  completed(10),
];

describe('the spans of a diagnosis', () => {
  const { traceId, spans } = traceOf(DIAGNOSIS);

  it('are one trace, named after the run', () => {
    expect(traceId).toBe(RUN.replaceAll('-', ''));
    expect(spans.filter(({ parentId }) => parentId === undefined)).toHaveLength(1);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(spans.every(({ parentId }) => parentId === undefined || ids.has(parentId))).toBe(true);
  });

  it('follow the dispatches', () => {
    expect(parentOf(spans, 'invoke_agent Top')).toBe('invoke_workflow Shop');
    expect(parentOf(spans, 'invoke_agent Team')).toBe('invoke_agent Top');
    expect(parentOf(spans, 'invoke_agent W')).toBe('invoke_agent Team');
    expect(parentOf(spans, 'execute_tool tcp_probe')).toBe('turn 1');
  });

  it('have the times of their work', () => {
    const times = (name: string) => {
      const { start, end } = named(spans, name);
      return [start - T0, end - T0];
    };
    expect(times('invoke_workflow Shop')).toEqual([0, 10_000]);
    expect(times('invoke_agent Top')).toEqual([500, 10_000]);
    expect(times('invoke_agent Team')).toEqual([2_000, 9_000]);
    expect(times('execute_tool tcp_probe')).toEqual([6_750, 7_000]);
    // The first turn: it waited for its model, and for the report of what it dispatched.
    expect(times('turn 1')).toEqual([500, 9_000]);
  });

  it('have the attributes of calls', () => {
    expect(named(spans, 'chat openai/m')).toMatchObject({
      kind: 'client',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'openai/m',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.response.time_to_first_chunk': 0.2,
        'gen_ai.usage.input_tokens': 10,
        'gen_ai.usage.output_tokens': 5,
        'consilium.waited_ms': 500,
      },
    });
    expect(named(spans, 'execute_tool tcp_probe')).toMatchObject({
      error: 'timeout',
      attributes: { 'gen_ai.tool.name': 'tcp_probe', 'consilium.node': 'web' },
    });
  });

  it('say how agents and the run ended', () => {
    expect(named(spans, 'invoke_agent W')).toMatchObject({
      error: 'AGENT_CRASHED',
      events: [{ name: 'AGENT_RESUMED', at: T0 + 7_000 }],
    });
    expect(named(spans, 'invoke_workflow Shop').attributes).toMatchObject({
      'consilium.run.status': 'completed',
      'consilium.verdict': 'degraded',
    });
    expect(traceOf([failed(1)]).spans[0]).toMatchObject({ error: 'DEADLINE' });
  });

  it('contain no text of prompts, results and reports', () =>
    expect(JSON.stringify(spans)).not.toContain(SECRET));

  it('are the same whichever process computes them', () =>
    expect(traceOf(DIAGNOSIS)).toEqual({ traceId, spans }));
});

it('continues the trace of its caller', () => {
  const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  const { traceId, spans } = traceOf(DIAGNOSIS, caller);
  expect([traceId, spans[0]?.parentId]).toEqual([caller.traceId, caller.spanId]);
});

it('ends what was open at the end of a run that was cut off', () => {
  const { spans } = traceOf([usage(null, 2, 'Top'), dispatched(2, 'Top', 'd1', 'Team'), failed(9)]);
  expect(named(spans, 'invoke_agent Team').end).toBe(T0 + 9_000);
});

it('bounds the spans of a run, and says how many are left off', () => {
  const calls = Array.from({ length: 20_010 }, () => usage(null, 2, 'Top'));
  const { spans } = traceOf(calls);
  expect(spans).toHaveLength(20_000);
  expect(spans[0]?.attributes['consilium.spans.left_off']).toBe(13);
});

it.each(['completed', 'half-way', 'cancelled', 'chat'])('reads a recorded history: %s', (name) => {
  const file = join(
    import.meta.dirname,
    `../../../test/fixtures/histories/2026-11-22-${name}.json`,
  );
  const { keys } = JSON.parse(readFileSync(file, 'utf8')) as {
    keys: { log: { value: [string, [string, string]][] } };
  };
  const events = keys.log.value.map(([, [, frame]]) => {
    const read = JSON.parse(frame.slice(frame.indexOf('\ndata: ') + 7)) as NamedEvent['event'] & {
      event: { category: string; action: string };
    };
    return {
      ...read,
      name: `${read.event.category}.${read.event.action}`,
    } as unknown as NamedEvent;
  });
  const { spans } = traceOf(events);
  const ids = new Set(spans.map(({ spanId }) => spanId));
  expect(spans.length).toBeGreaterThan(2);
  expect(spans.slice(1).every(({ parentId = '' }) => ids.has(parentId))).toBe(true);
  expect(spans.every(({ start, end }) => end >= start)).toBe(true);
});
