import { describe, expect, test } from '@jest/globals';
import type { Format } from '../../src/formats/format.js';
import { encodeLog, framesOf, payloads } from '../support/encode.js';
import { LOGS } from '../support/logs.js';

const log = (name: string) => LOGS[name] as string[];
const read = (format: Format, name: string) => payloads(encodeLog(format, log(name)));
/** The frames of format `chat`, as the seed writes a sequence. */
const sequence = (name: string) =>
  framesOf(encodeLog('chat', log(name))).map((frame) => /^event: (.*)$/m.exec(frame)?.[1]);

describe('chat: the sequences of seed 004', () => {
  test('typical', () => {
    expect(sequence('typical')).toEqual([
      'message_start',
      'content_delta',
      'content_delta',
      'message_end',
    ]);
    expect(read('chat', 'typical')).toEqual([
      { session_id: 'sess_1' },
      { text: 'I found several ' },
      { text: 'workouts.' },
      { session_id: 'sess_1', tokens_used: 15, latency_ms: 1_000 },
    ]);
  });

  test('with function calls, and a result with an error', () => {
    const order = [
      'message_start',
      'content_delta',
      'function_call',
      'function_result',
      'content_delta',
      'message_end',
    ];
    expect(sequence('with function calls')).toEqual(order);
    expect(read('chat', 'with function calls').slice(2, 5)).toEqual([
      { id: 't1', name: 'search_runs' },
      { tool_use_id: 't1', name: 'search_runs', result: 'Found:\n1. run 7' },
      { text: '\n\nRun 7.' },
    ]);
    expect(sequence('function timeout')).toEqual(
      order.filter((name, i) => name !== 'content_delta' || i > 1),
    );
    const [, , failed] = read('chat', 'function timeout');
    expect(JSON.parse(failed?.['result'] as string)).toEqual({
      error: true,
      code: 'execution_error',
      message: 'no result within 30 s',
    });
  });

  test('errors', () => {
    expect(sequence('error first')).toEqual(['message_start', 'error']);
    expect(sequence('error in the middle')).toEqual(['message_start', 'content_delta', 'error']);
    expect(read('chat', 'error first').at(-1)).toMatchObject({
      type: 'rate_limit',
      message: expect.stringMatching(/^AI service is busy/) as unknown,
    });
    expect(read('chat', 'failed with AI_ERROR').at(-1)).toMatchObject({
      type: 'api_error',
      message: expect.stringMatching(/^AI service error/) as unknown,
    });
    expect(read('chat', 'failed with DEADLINE').at(-1)).toMatchObject({
      type: 'internal_error',
      message: 'It ended with DEADLINE.',
      retryable: true,
    });
  });
});

describe('agent: the events of seed 001', () => {
  const end = (name: string) => read('agent', name).slice(-2);

  test.each([
    [
      'error first',
      'rate_limited',
      'The AI service is temporarily busy. Please try again in a moment.',
      true,
    ],
    [
      'error in the middle',
      'overloaded',
      'The AI service is currently overloaded. Please try again shortly.',
      true,
    ],
    ['failed with AI_ERROR', 'ai_error', 'An error occurred while generating the response.', false],
    ['failed with DEADLINE', 'internal_error', 'It ended with DEADLINE.', true],
    ['failed with LOG_LIMIT', 'internal_error', 'It ended with LOG_LIMIT.', false],
  ])('%s', (name, code, message, retryable) => {
    expect(end(name)).toEqual([
      { type: 'error', error: { message, code, retryable } },
      { type: '[DONE]' },
    ]);
  });

  test('blocks are closed before anything else comes', () => {
    expect(read('agent', 'with function calls')).toEqual([
      { type: 'stream_start' },
      { type: 'text_start' },
      { type: 'text_delta', delta: 'Let me look.' },
      { type: 'text_end' },
      {
        type: 'tool_call',
        tool_id: 't1',
        tool_name: 'search_runs',
        arguments: { query: 'authentication' },
      },
      {
        type: 'tool_result',
        tool_id: 't1',
        tool_name: 'search_runs',
        result: 'Found:\n1. run 7',
        successful: true,
      },
      { type: 'text_start' },
      { type: 'text_delta', delta: 'Run 7.' },
      { type: 'text_end' },
      {
        type: 'stream_end',
        reason: 'stop',
        usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      },
      { type: '[DONE]' },
    ]);
    expect(read('agent', 'error in the middle').map(({ type }) => type)).toEqual([
      ...['stream_start', 'text_start', 'text_delta', 'text_end', 'error', '[DONE]'],
    ]);
    expect(end('cancelled in a call')).toMatchObject([
      { type: 'stream_end', reason: 'cancelled' },
      { type: '[DONE]' },
    ]);
  });
});

describe('oracle: the chunks of seeds 000 and 002', () => {
  test('a turn with a call', () => {
    const call = { id: 't1', name: 'search_runs', arguments: '{"query":"authentication"}' };
    const source = {
      path: 'runs/7',
      source_path: 'runs/7',
      source_type: 'run',
      snippet: 'memory full',
      score: 0.9,
    };
    expect(read('oracle', 'with function calls')).toEqual([
      { type: 'context_update', context_tokens: 120, max_context_tokens: 64_000 },
      { type: 'content', content: 'Let me look.' },
      { type: 'tool_call', tool_call: { ...call, status: 'pending' } },
      { type: 'tool_call', tool_call: { ...call, status: 'completed' } },
      { type: 'tool_result', tool_call_id: 't1', tool_result: 'Found:\n1. run 7' },
      { type: 'source', source },
      { type: 'content', content: '\n\nRun 7.' },
      { type: 'context_update', context_tokens: 15, max_context_tokens: 64_000 },
      {
        type: 'done',
        tokens_used: 30,
        model_used: 'm',
        context_id: 'ctx_1',
        context_tokens: 15,
        max_context_tokens: 64_000,
      },
    ]);
    expect(
      read('oracle', 'function timeout').filter(({ type }) => String(type).startsWith('tool')),
    ).toMatchObject([
      { tool_call: { status: 'pending' } },
      { tool_call: { status: 'error' } },
      { tool_result: 'no result within 30 s' },
    ]);
  });

  test.each([
    [
      'limit warnings',
      'limit_warning',
      { current_value: 7, limit_value: 10, percent: 70, limit_type: 'iteration' },
    ],
    ['no progress', 'no_progress', { repeated_action: 'search_code({"query": "authentication"})' }],
    [
      'error limit',
      'error_limit',
      { error_count: 3, last_error: 'Tool execution failed: connection timeout' },
    ],
  ])('%s', (name, system_type, metadata) => {
    const system = read('oracle', name).find(({ type }) => type === 'system');
    expect(system).toEqual({
      type: 'system',
      system_type,
      system_message: system?.['content'],
      content: system?.['content'],
      metadata,
    });
    expect(read('oracle', name).at(-1)?.['type']).toBe('done');
  });

  test('errors are texts, and the end', () => {
    expect(read('oracle', 'cancelled in a call').at(-1)).toEqual({
      type: 'error',
      error: 'Cancelled by user',
    });
    expect(read('oracle', 'failed with INTERNAL_ERROR').at(-1)).toEqual({
      type: 'error',
      error: 'It ended with INTERNAL_ERROR.',
    });
  });
});

describe.each(['oracle', 'agent', 'chat', 'ag-ui', 'ai-sdk'] as const)(
  '%s: what counts is shown once',
  (format) => {
    /** All text of the agent at the top, as a client puts it together. */
    const shown = (name: string) =>
      read(format, name)
        .filter(
          ({ type, subagentRunId }) =>
            subagentRunId === undefined && !/reason|thinking/i.test(String(type)),
        )
        .map(({ content, delta, text, type }) => {
          const words = delta ?? text ?? (type === 'content' ? content : undefined);
          return typeof words === 'string' ? words : '';
        })
        .join('')
        .replace(/\{"query".*?\}/g, '')
        .replace(/\s+/g, ' ')
        .trim();

    test('of a diagnosis, whose attempts may fail', () => {
      const text = shown('a diagnosis with an attempt that failed');
      expect(text).not.toContain('I will se');
      expect(text.split('The web is well').length).toBe(2);
      expect(text).toMatch(
        /^I send one team\. ?The web is well\. ?Found 0 warnings, 0 critical issues\.$/,
      );
    });

    test('of a chat that ends without a word of its own, what it comes to', () =>
      expect(shown('no progress')).toBe('Nothing came of it.'));

    test('of a chat that was taken up again', () =>
      expect(shown('a chat taken up again after its process was lost')).toBe('The disk is full.'));
  },
);
