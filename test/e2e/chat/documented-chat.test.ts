import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { ask, says } from '../../support/chat.js';
import { answer, begin, errorEvent, inTurn, refuse } from '../../support/models/provider-server.js';
import { until } from '../../support/until.js';
import {
  MONTHLY,
  busy,
  call,
  documentedScene,
  last,
  names,
  text,
} from '../../support/documented-scene.js';

/*
 * The event sequences that the clients of each endpoint expect (contract section 7), over HTTP and
 * with a scripted model.
 */
const scene = documentedScene();
const { model, plays } = scene;
let api: Api;
let topology_id: number;
beforeEach(() => void ({ api, topology_id } = scene));

describe('POST /chat/stream', () => {
  const chat = async (body: object = {}) =>
    (await ask(`${api.url}/chat/stream`, { message: 'What is it?', topology_id, ...body })).events;

  test('typical: message_start → content_delta* → message_end', async () => {
    plays([text('I found several '), text('leg workouts.')]);
    const events = await chat();
    const { session_id } = events[0]?.data as { session_id: string };
    expect(session_id).toMatch(/^sess_\w+$/);
    expect(names(events)).toEqual(['message_start', 'content_delta', 'message_end']);
    expect(says(events)).toBe('I found several leg workouts.');
    expect(last(events)).toEqual({ session_id, tokens_used: 15, latency_ms: expect.any(Number) });
  });

  test('with function calls: message_start → content_delta* → function_call → function_result → content_delta* → message_end', async () => {
    plays([text('Let me look.'), call('search_code')], [text('There it is.')]);
    const events = await chat();
    expect(names(events)).toEqual([
      'message_start',
      'content_delta',
      'function_call',
      'function_result',
      'content_delta',
      'message_end',
    ]);
    // Shown once, and apart from what was said before the call.
    expect(says(events)).toBe('Let me look.\n\nThere it is.');
    const { id } = events[2]?.data as { id: string };
    expect(events[2]?.data).toEqual({ id, name: 'search_code' });
    expect(events[3]?.data).toEqual({
      tool_use_id: id,
      name: 'search_code',
      result: expect.stringContaining('found authentication'),
    });
  });

  test('navigation: its result is a JSON string', async () => {
    plays([{ call: 'navigate_to_page', args: '{"page":"library"}' }], [text('Opening it.')]);
    const events = await chat();
    expect(events[2]?.data).toMatchObject({
      name: 'navigate_to_page',
      result: '{"action":"navigate","page":"library"}',
    });
  });

  test('the model gets the error of a function call and explains it', async () => {
    plays([text('Let me look.'), call('search_workout_library')], [text('It cannot be reached.')]);
    const events = await chat();
    expect(names(events)).toEqual([
      'message_start',
      'content_delta',
      'function_call',
      'function_result',
      'content_delta',
      'message_end',
    ]);
    const { result } = events[3]?.data as { result: string };
    expect(JSON.parse(result)).toEqual({
      error: true,
      code: 'execution_error',
      message: 'Unable to connect to the service.',
    });
    expect(says(events)).toBe('Let me look.\n\nIt cannot be reached.');
    expect(JSON.stringify(model.server.exchanges.at(-1)?.body)).toContain(
      'Unable to connect to the service.',
    );
  });

  test('function timeout: message_start → function_call → function_result (error) → content_delta* → message_end', async () => {
    const settings = await fetch(`${api.url}/api/settings/agent-config`);
    expect(await settings.json()).toMatchObject({ tool_timeout_seconds: 30 });
    plays([call('sleepyhead')], [text('That took too long.')]);
    // A slow call also reports its progress: clients ignore events that they do not know.
    const events = (await chat()).filter(({ event }) => event !== 'function_progress');
    expect(names(events)).toEqual([
      'message_start',
      'function_call',
      'function_result',
      'content_delta',
      'message_end',
    ]);
    const { result } = events[2]?.data as { result: string };
    expect(JSON.parse(result)).toEqual({
      error: true,
      code: 'execution_error',
      message: 'no result within 1 s',
    });
    expect(JSON.stringify(model.server.exchanges.at(-1)?.body)).toContain('no result within 1 s');
  });

  test('error first: there is nothing but the error', async () => {
    expect(await chat({ topology_id: 987_654 })).toMatchObject([
      { event: 'error', data: { type: 'not_found' } },
    ]);
    for (let i = 0; i < MONTHLY; i++) {
      plays([text('Yes.')]);
      expect(names(await chat())).toEqual(['message_start', 'content_delta', 'message_end']);
    }
    model.server.otherwise = answer(text('Yes.'));
    // It is counted when the turn is over, which may be a moment after its last frame.
    const events = await until('it is enough', async () =>
      [await chat()].find(({ length }) => length === 1),
    );
    const message = `Monthly message limit (${MONTHLY}) reached. Upgrade for more.`;
    expect(events).toEqual([
      {
        event: 'error',
        data: { type: 'rate_limit_exceeded', message, usage: expect.any(Number), limit: MONTHLY },
      },
    ]);
  });

  test.each([
    [
      'the provider is busy',
      busy(429),
      {
        type: 'rate_limit',
        message: expect.stringMatching(/^AI service is busy/),
        retryable: true,
      },
    ],
    [
      'the provider is overloaded',
      busy(529),
      {
        type: 'rate_limit',
        message: expect.stringMatching(/^AI service is busy/),
        retryable: true,
      },
    ],
    [
      'the provider refuses',
      refuse(400),
      { type: 'api_error', message: expect.stringMatching(/^AI service error/), retryable: false },
    ],
  ])('an error before any text: %s', async (_, reply, error) => {
    plays(reply);
    const events = await chat();
    expect(names(events)).toEqual(['message_start', 'error']);
    expect(last(events)).toEqual(error);
  });

  test('error in the middle: message_start → content_delta* → error', async () => {
    plays(
      inTurn(
        begin(text('The disk is')),
        errorEvent('overloaded_error'),
        ({ response }) => void response.end(),
      ),
    );
    const events = await chat();
    expect(names(events)).toEqual(['message_start', 'content_delta', 'error']);
    expect(says(events)).toBe('The disk is');
    expect(last(events)).toMatchObject({
      type: expect.stringMatching(/^(rate_limit|api_error)$/),
      message: expect.any(String),
    });
  });
});
