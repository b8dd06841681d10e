import { expect, it, test } from '@jest/globals';
import { encoder as aiSdk } from '../ai-sdk/encoder.js';
import type { Encoder } from '../encoder.js';
import { encoder as oracle } from '../oracle/encoder.js';
import { answerOf } from './answer-of.js';
import type { NamedEvent } from '../../domain/events/event.js';

const source = {
  agent_id: 'oracle',
  agent_type: 'oracle' as const,
  agent_name: 'Oracle',
  team_name: null,
};
const AT = '2026-01-01T00:00:00.000Z';
let sequence = 0;
const event = (name: string, data: object): NamedEvent => {
  const [category = '', action = ''] = name.split('.');
  return {
    run_id: 'r',
    timestamp: AT,
    sequence: ++sequence,
    source,
    event: { category, action },
    name,
    data,
  } as never;
};
const started = event('lifecycle.started', {
  kind: 'chat',
  topology_id: null,
  topology_name: null,
  user_message: 'why?',
});
const say = (content: string, turn = 1, attempt = 1) =>
  event('llm.stream', { content, dispatch_id: null, turn, attempt });
const usage = (turn = 1) =>
  event('llm.usage', {
    dispatch_id: null,
    turn,
    attempt: 1,
    model: 'm',
    input_tokens: 1,
    output_tokens: 1,
    total_tokens: 2,
  });
const completed = (more: object = {}) =>
  event('lifecycle.completed', {
    summary: 'The sum.',
    report: null,
    partial: false,
    reasons: [],
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    ...more,
  });

it('is the text of all turns, without repetition', () => {
  const log = [
    started,
    say('I '),
    say('look.'),
    usage(),
    say('Found.', 2),
    usage(2),
    completed({ summary: 'I look.\n\nFound.' }),
  ];
  expect(answerOf(log)).toEqual({
    content: 'I look.\n\nFound.',
    status: 'completed',
    partial: false,
    ended_at: AT,
  });
});

it('is the summary if no other text exists', () =>
  expect(answerOf([started, completed()])).toEqual({
    content: 'The sum.',
    status: 'completed',
    partial: false,
    ended_at: AT,
  }));

test.each([
  ['that goes on', undefined, 'running'],
  ['that is partial', completed({ partial: true, reasons: ['CANCELLED'] }), 'completed'],
  [
    'that has failed',
    event('lifecycle.failed', { error: 'no', code: 'AI_ERROR', retryable: true, report: null }),
    'failed',
  ],
  [
    'that was cancelled',
    event('lifecycle.cancelled', { reason: 'Cancelled by user', report: null }),
    'cancelled',
  ],
])('of a turn %s is the text so far', (_, last, status) => {
  expect(answerOf([started, say('So far'), ...(last ? [last] : [])])).toEqual({
    content: 'So far',
    status,
    partial: true,
    ...(status !== 'running' && { ended_at: AT }),
    ...(status === 'failed' && { error: 'no' }),
  });
});

it('contains the text of a lost process only once', () => {
  const log = [
    started,
    say('All is'),
    say('All is well.', 1, 2),
    usage(),
    completed({ summary: 'All is well.' }),
  ];
  expect(answerOf(log).content).toBe('All is well.');
});

it('has the sources of a completed answer as the chat formats send them', () => {
  const cited = (path: string, score: number) => ({ path, source_type: 'run', snippet: '', score });
  const result = (id: string, sources: object[]) => [
    event('llm.tool_call', { tool: 't', args: {}, tool_call_id: id, dispatch_id: null, turn: 1 }),
    event('llm.tool_result', {
      tool: 't',
      result: {},
      tool_call_id: id,
      status: 'ok',
      sources,
    }),
  ];
  const log = [
    started,
    ...result('a', [cited('topologies', 0.3), cited('runs/2', 0.5)]),
    ...result('b', [cited('runs/1/events/4', 0.9), cited('runs/1/events/9', 1)]),
  ];
  const sources = [cited('runs/1/events/9', 1), cited('runs/1/events/4', 0.9)];
  expect(answerOf([...log, completed()]).sources).toEqual(sources);
  expect(answerOf(log)).not.toHaveProperty('sources');
  const ended = [...log, completed({ usage: { input_tokens: 1, output_tokens: 1 } })];
  const sentBy = <State>(encoder: Encoder<State>): object[] => {
    let state = encoder.start;
    return ended.flatMap((each) => {
      const [after, frames] = encoder.next(state, each, '');
      state = after;
      return frames.filter(({ data }) => data.startsWith('{"type":"source'));
    });
  };
  const inOrder = sources.map(({ path }) => ({ data: expect.stringContaining(`"${path}"`) }));
  expect(sentBy(oracle)).toMatchObject(inOrder);
  expect(sentBy(aiSdk)).toMatchObject(inOrder);
});

it('lists the calls of a turn without their results, and sums up its usage', () => {
  const turn = { dispatch_id: null, turn: 1, attempt: 1 };
  const call = (tool_call_id: string, args: object) =>
    event('llm.tool_call', { ...turn, tool: 'list_runs', args, tool_call_id });
  const result = { ...turn, tool: 'list_runs', result: 'many', truncated: false };
  const events = [
    started,
    call('t1', { topology: 7 }),
    event('llm.tool_result', { ...result, tool_call_id: 't1', status: 'ok', duration_ms: 12 }),
    call('t2', { text: 'x'.repeat(2_000) }),
    usage(),
  ];
  const { tool_calls, usage: used } = answerOf(events);
  expect(tool_calls).toEqual([
    { tool_call_id: 't1', tool: 'list_runs', args: { topology: 7 }, status: 'ok', duration_ms: 12 },
    { tool_call_id: 't2', tool: 'list_runs', status: null, duration_ms: null },
  ]);
  expect(used).toEqual({ input_tokens: 1, output_tokens: 1, total_tokens: 2 });
  const many = Array.from({ length: 300 }, (_, i) => call(`t${i}`, {}));
  expect(answerOf([started, ...many]).tool_calls).toHaveLength(100);
  expect(answerOf([started])).not.toHaveProperty('tool_calls');
});
