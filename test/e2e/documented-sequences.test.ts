import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Tool } from '../../src/tools/tool.js';
import type { Api } from '../support/api.js';
import { ask, says, type ChatEvent } from '../support/chat.js';
import { modelScene } from '../support/model-scene.js';
import type { Say } from '../support/provider-frames.js';
import {
  answer,
  begin,
  errorEvent,
  inTurn,
  refuse,
  type Reply,
} from '../support/provider-server.js';
import { topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';

/*
 * The event sequences that the clients of each endpoint expect (contract section 7), over HTTP and
 * with a scripted model.
 */

const MONTHLY = 3;

const model = modelScene();
let api: Api;
let topology_id: number;

const query = z.object({ node: z.string(), query: z.string() });
type Query = z.infer<typeof query>;
const toolOf = (name: string, run: Tool<Query>['run']): Tool => ({
  name,
  description: name,
  access: 'read',
  measures: () => 'service',
  subject: ['query'],
  repeatable: true,
  args: query,
  appliesTo: () => true,
  argsFor: ({ id }) => ({ node: id, query: '' }),
  run,
});
const searchCode = toolOf('search_code', async ({ query }) => ({
  status: 'ok',
  summary: `found ${query}`,
  measurements: {},
  issues: [],
}));
const searchLibrary = toolOf('search_workout_library', async () =>
  Promise.reject(new Error('Unable to connect to the service.')),
);
const sleepyhead = toolOf('sleepyhead', async () => new Promise(() => undefined));

// One service per test: a service that was asked to wait for its provider does so for a while.
beforeEach(async () => {
  const env = { ...model.hosted(), MODEL: 'openai/gpt-4.1', MONTHLY_MESSAGES: String(MONTHLY) };
  api = await model.service(env, { tools: [searchCode, searchLibrary, sleepyhead] });
  topology_id = await api.store(
    topologyOf({ shop: { kind: 'other' } }, { limits: { toolTimeoutSeconds: 1 } }),
  );
});

const call = (tool: string, args: object = {}): Say => ({
  call: tool,
  args: JSON.stringify({ node: 'shop', query: 'authentication', ...args }),
});
const text = (words: string): Say => ({ text: words });
/** A turn of the model that uses so many tokens. */
const dear = (say: Say, tokens: number): readonly Say[] => [
  say,
  { end: 'call' in say ? 'tool-calls' : 'stop', usage: [tokens - 5, 5] },
];

/** The model's turns, one after the other. */
function plays(...script: (readonly Say[] | Reply)[]): void {
  model.server.script(
    ...script.map((turn) => (typeof turn === 'function' ? turn : answer(...turn))),
  );
}

const busy = (status: number) => refuse(status, { headers: { 'retry-after': '3000' } });

/** The order of a sequence: text may come in any number of pieces. */
const names = (events: readonly ChatEvent[]) =>
  events
    .map(({ event }) => event)
    .filter((event, i, all) => event !== 'content_delta' || all[i - 1] !== event);
const last = (events: readonly ChatEvent[]) => events.at(-1)?.data;

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

describe('POST /api/v1/conversations/{id}/stream', () => {
  const url = () => `${api.url}/api/v1/conversations/talk`;
  const say = async () => ask(`${url()}/stream`, { content: 'What is it?', topology_id });

  test.each([
    [
      'busy',
      busy(429),
      'rate_limited',
      'The AI service is temporarily busy. Please try again in a moment.',
      true,
    ],
    [
      'overloaded',
      busy(529),
      'overloaded',
      'The AI service is currently overloaded. Please try again shortly.',
      true,
    ],
    [
      'in trouble',
      refuse(400),
      'ai_error',
      'An error occurred while generating the response.',
      false,
    ],
  ])(
    'after three calls that went well, the provider is %s',
    async (_, reply, code, message, retryable) => {
      plays(...['a', 'b', 'c'].map((word) => [call('search_code', { query: word })]), reply);
      const { text: stream, events } = await say();
      expect(events.map(({ data }) => data['type'])).toEqual([
        'stream_start',
        ...[1, 2, 3].flatMap(() => ['tool_call', 'tool_result']),
        'error',
      ]);
      expect(last(events)).toEqual({ type: 'error', error: { message, code, retryable } });
      expect(stream).toMatch(/\n\nid: \d+\ndata: \[DONE\]\n\n$/);
      // What a client does then: it reads what is there.
      const { data } = (await (await fetch(url())).json()) as { data: { messages: object[] } };
      expect(data.messages).toMatchObject([{ role: 'user' }]);
    },
  );

  test('all is well', async () => {
    plays([text('It is '), text('well.')]);
    const { text: stream, events } = await say();
    const types = events.map(({ data }) => data['type']);
    expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
      'stream_start',
      'text_start',
      'text_delta',
      'text_end',
      'stream_end',
    ]);
    expect(stream).toMatch(/data: \[DONE\]\n\n$/);
  });
});

describe('POST /api/oracle/stream', () => {
  /** The chunks of a turn. */
  const oracle = async () =>
    (
      await ask(`${api.url}/api/oracle/stream`, {
        question: 'What is it?',
        project_id: topology_id,
      })
    ).events.map(({ data }) => data);
  const set = (settings: object) =>
    fetch(`${api.url}/api/settings/agent-config`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(settings),
    });
  const systems = (chunks: readonly object[]) => chunks.filter((chunk) => 'system_type' in chunk);
  const system = (system_type: string, system_message: string, metadata: object) => ({
    type: 'system',
    system_type,
    system_message,
    content: system_message,
    metadata,
  });
  const looks = (count: number) =>
    Array.from({ length: count }, (_, i) => [call('search_code', { query: `way ${i}` })]);

  test('limit warnings of iterations, and the limit', async () => {
    await set({ max_iterations: 10 });
    plays(...looks(10));
    const chunks = await oracle();
    const limit = { limit_value: 10, limit_type: 'iteration' };
    expect(systems(chunks)).toEqual([
      system(
        'limit_warning',
        'Approaching iteration limit (7/10). Consider wrapping up your response.',
        {
          ...limit,
          current_value: 7,
          percent: 70,
        },
      ),
      system('limit_reached', 'Maximum iterations reached (10/10). Saving partial response.', {
        ...limit,
        current_value: 10,
        percent: 100,
      }),
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'done' });
  });

  test('a warning of the token budget, and its end', async () => {
    plays(dear(call('search_code'), 40_000), dear(call('search_code', { query: 'more' }), 10_000));
    const chunks = await oracle();
    const limit = { limit_value: 50_000, limit_type: 'token' };
    expect(systems(chunks)).toEqual([
      system(
        'limit_warning',
        'Approaching token budget (40,000/50,000 tokens). Consider being more concise.',
        {
          ...limit,
          current_value: 40_000,
          percent: 80,
        },
      ),
      system(
        'limit_reached',
        'Token budget reached (50,000/50,000 tokens). Saving partial response.',
        {
          ...limit,
          current_value: 50_000,
          percent: 100,
        },
      ),
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'done', tokens_used: 50_000 });
  });

  test('no progress', async () => {
    plays(...[1, 2, 3].map(() => [call('search_code')]));
    const chunks = await oracle();
    expect(systems(chunks).at(-1)).toEqual(
      system(
        'no_progress',
        'No progress detected - the same action was attempted 3 times. Terminating to prevent infinite loop.',
        {
          repeated_action: 'search_code({"node":"shop","query":"authentication"})',
        },
      ),
    );
    expect(chunks.at(-1)).toMatchObject({ type: 'done' });
  });

  test('error limit', async () => {
    plays(...['a', 'b', 'c'].map((word) => [call('search_workout_library', { query: word })]));
    const chunks = await oracle();
    expect(systems(chunks)).toEqual([
      system(
        'error_limit',
        'Multiple consecutive errors (3/3). Terminating with partial results.',
        {
          error_count: 3,
          last_error: 'Unable to connect to the service.',
        },
      ),
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: 'done' });
  });

  test('an error is a text, and the end', async () => {
    plays(refuse(400));
    expect((await oracle()).at(-1)).toEqual({ type: 'error', error: expect.any(String) });
  });
});
