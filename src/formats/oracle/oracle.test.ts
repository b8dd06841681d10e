import { describe, expect, test } from '@jest/globals';
import { encodeLog, payloads } from '../../../test/support/streams/encode.js';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';
import { LOGS } from '../../../test/support/streams/logs.js';

const log = (name: string) => LOGS[name] as string[];
const read = (name: string) => payloads(encodeLog('oracle', log(name)));

test('encodes a recorded chat turn to its fixture', () => expectFixture('oracle'));

describe('oracle: the chunks', () => {
  test('a turn with a call', () => {
    const call = {
      id: '01960d3c-5f2a-7cc0-8000-0123456789ab:t1',
      name: 'search_runs',
      arguments: '{"query":"authentication"}',
    };
    const source = {
      path: 'runs/7',
      source_path: 'runs/7',
      source_type: 'run',
      snippet: 'memory full',
      score: 0.9,
    };
    expect(read('with function calls')).toEqual([
      { type: 'context_update', context_tokens: 120, max_context_tokens: 64_000 },
      { type: 'content', content: 'Let me look.' },
      { type: 'tool_call', tool_call: { ...call, status: 'pending' } },
      {
        type: 'tool_result',
        tool_call_id: '01960d3c-5f2a-7cc0-8000-0123456789ab:t1',
        tool_result: 'Found:\n1. run 7',
      },
      { type: 'tool_call', tool_call: { ...call, status: 'completed' } },
      { type: 'content', content: '\n\nRun 7.' },
      { type: 'source', source },
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
      read('function timeout').filter(({ type }) => String(type).startsWith('tool')),
    ).toMatchObject([
      { tool_call: { status: 'pending' } },
      { tool_result: 'no result within 30 s' },
      { tool_call: { status: 'error' } },
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
    const system = read(name).find(({ type }) => type === 'system');
    expect(system).toEqual({
      type: 'system',
      system_type,
      system_message: system?.['content'],
      content: system?.['content'],
      metadata,
    });
    expect(read(name).at(-1)?.['type']).toBe('done');
  });

  test('ends with an error that is a string', () => {
    expect(read('cancelled in a call').at(-1)).toEqual({
      type: 'error',
      error: 'Cancelled by user',
    });
    expect(read('failed with INTERNAL_ERROR').at(-1)).toEqual({
      type: 'error',
      error: 'It ended with INTERNAL_ERROR.',
    });
  });
});
