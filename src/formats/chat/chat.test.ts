import { describe, expect, test } from '@jest/globals';
import { encodeLog, framesOf, payloads } from '../../../test/support/streams/encode.js';
import { expectFixture } from '../../../test/support/streams/format-fixture.js';
import { LOGS } from '../../../test/support/streams/logs.js';

const log = (name: string) => LOGS[name] as string[];
const read = (name: string) => payloads(encodeLog('chat', log(name)));
/** The names of the frames. */
const sequence = (name: string) =>
  framesOf(encodeLog('chat', log(name))).map((frame) => /^event: (.*)$/m.exec(frame)?.[1]);

test('encodes a recorded chat turn to its fixture', () => expectFixture('chat'));

describe('chat: the sequences of frames', () => {
  test('typical', () => {
    expect(sequence('typical')).toEqual([
      'message_start',
      'content_delta',
      'content_delta',
      'message_end',
    ]);
    expect(read('typical')).toEqual([
      { session_id: 'sess_1' },
      { text: 'I found several ' },
      { text: 'workouts.' },
      { session_id: 'sess_1', tokens_used: 15, latency_ms: 1_000 },
    ]);
  });

  test('calls functions, with a result that is an error', () => {
    const order = [
      'message_start',
      'content_delta',
      'function_call',
      'function_result',
      'content_delta',
      'message_end',
    ];
    expect(sequence('with function calls')).toEqual(order);
    expect(read('with function calls').slice(2, 5)).toEqual([
      { id: '01960d3c-5f2a-7cc0-8000-0123456789ab:t1', name: 'search_runs' },
      {
        tool_use_id: '01960d3c-5f2a-7cc0-8000-0123456789ab:t1',
        name: 'search_runs',
        result: 'Found:\n1. run 7',
      },
      { text: '\n\nRun 7.' },
    ]);
    expect(sequence('function timeout')).toEqual(
      order.filter((name, i) => name !== 'content_delta' || i > 1),
    );
    const [, , failed] = read('function timeout');
    expect(JSON.parse(failed?.['result'] as string)).toEqual({
      error: true,
      code: 'execution_error',
      message: 'no result within 30 s',
    });
  });

  test('errors', () => {
    expect(sequence('error first')).toEqual(['message_start', 'error']);
    expect(sequence('error in the middle')).toEqual(['message_start', 'content_delta', 'error']);
    expect(read('error first').at(-1)).toMatchObject({
      type: 'rate_limit',
      message: expect.stringMatching(/^AI service is busy/) as unknown,
    });
    expect(read('failed with AI_ERROR').at(-1)).toMatchObject({
      type: 'api_error',
      message: expect.stringMatching(/^AI service error/) as unknown,
    });
    expect(read('failed with DEADLINE').at(-1)).toMatchObject({
      type: 'internal_error',
      message: 'It ended with DEADLINE.',
      retryable: true,
    });
  });
});

test('says at the end that a limit cut the turn off', () => {
  const frames = read('error limit');
  expect(frames.at(-1)).toMatchObject({ partial: true, reasons: ['LIMIT_REACHED'] });
});
