import { describe, expect, test } from '@jest/globals';
import { encodeLog, payloads } from '../../../test/support/streams/encode.js';
import { agentError, chatError } from '../shared/error-messages.js';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';
import { LOGS } from '../../../test/support/streams/logs.js';

const log = (name: string) => LOGS[name] as string[];
const read = (name: string) => payloads(encodeLog('agent', log(name)));

test('encodes a recorded chat turn to its fixture', () => expectFixture('agent'));

describe('agent: the events', () => {
  const end = (name: string) => read(name).slice(-2);

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

  test('closes a block before any other frame', () => {
    expect(read('with function calls')).toEqual([
      { type: 'stream_start' },
      { type: 'text_start' },
      { type: 'text_delta', delta: 'Let me look.' },
      { type: 'text_end' },
      {
        type: 'tool_call',
        tool_id: '01960d3c-5f2a-7cc0-8000-0123456789ab:t1',
        tool_name: 'search_runs',
        arguments: { query: 'authentication' },
      },
      {
        type: 'tool_result',
        tool_id: '01960d3c-5f2a-7cc0-8000-0123456789ab:t1',
        tool_name: 'search_runs',
        result: 'Found:\n1. run 7',
        successful: true,
      },
      { type: 'text_start' },
      { type: 'text_delta', delta: '\n\nRun 7.' },
      { type: 'text_end' },
      {
        type: 'stream_end',
        reason: 'stop',
        usage: { input_tokens: 20, output_tokens: 10, total_tokens: 30 },
      },
      { type: '[DONE]' },
    ]);
    expect(read('error in the middle').map(({ type }) => type)).toEqual([
      'stream_start',
      'text_start',
      'text_delta',
      'text_end',
      'error',
      '[DONE]',
    ]);
    expect(end('cancelled in a call')).toMatchObject([
      { type: 'stream_end', reason: 'cancelled' },
      { type: '[DONE]' },
    ]);
  });
});

test.each([
  ['RATE_LIMITED', agentError],
  ['OVERLOADED', agentError],
  ['RATE_LIMITED', chatError],
  ['OVERLOADED', chatError],
])('says until when a long pause of a provider lasts: %s', (code, errorOf) => {
  const failed = { code, error: 'x', retryable: true, report: null };
  expect(errorOf(failed).message).not.toContain('UTC');
  expect(errorOf({ ...failed, retry_at: '2026-11-22T12:05:00.000Z' }).message).toMatch(
    / Please try again after 2026-11-22 12:05:00 UTC\.$/,
  );
});

test('does not offer to try an AI_ERROR again, whatever the log says', () =>
  expect(agentError({ code: 'AI_ERROR', error: 'x', retryable: true, report: null })).toMatchObject(
    {
      code: 'ai_error',
      retryable: false,
    },
  ));
