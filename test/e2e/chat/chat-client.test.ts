import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  Client,
  listen,
  type NamedEvent,
  type StreamFailure,
  type FailureEvent,
} from '../../../src/client/index.js';
import type { Api } from '../../support/api.js';
import { ModelScene } from '../../support/models/model-scene.js';
import {
  answer,
  begin,
  errorEvent,
  inTurn,
  refuse,
  reset,
  silence,
  type Reply,
} from '../../support/models/provider-server.js';
import { TcpProxy } from '../../support/processes/tcp-proxy.js';

const scene = new ModelScene();
let api: Api;
let proxy: TcpProxy;
let client: Client;
beforeAll(async () => {
  await scene.open(answer({ text: 'All is well.' }));
  api = await scene.service({
    ...scene.hosted(),
    MONTHLY_MESSAGES: '1000',
    ALLOWED_HOSTS: '127.0.0.1',
  });
  proxy = await TcpProxy.to(api.url);
  client = new Client(proxy.url.replace('redis:', 'http:'));
});
afterAll(async () => {
  await proxy.close();
  await scene.close();
});

async function all(events: AsyncIterable<NamedEvent>): Promise<NamedEvent[]> {
  const seen: NamedEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}
const textIn = (events: readonly NamedEvent[]) =>
  events.map((event) => (event.name === 'llm.stream' ? event.data.content : '')).join('');
const started = ([first]: readonly NamedEvent[]): { session_id?: string; context_id?: string } =>
  first?.name === 'lifecycle.started' ? first.data : {};
const chats = async () =>
  (await api.ask<{ items: unknown[] }>('GET', '/executions?kind=chat&limit=200')).data.items.length;

test('answers a chat with tools and continues its session or any of its exchanges', async () => {
  scene.server.script(
    answer({ text: 'I look.' }, { call: 'list_topologies', args: '{}' }),
    answer({ text: 'There is none.' }),
  );
  const { runId, events } = await client.chat({
    message: 'Which topologies are there?',
    context: { page: 'topologies' },
  });
  const first = await all(events);
  expect(new Set(first.map((event) => event.run_id))).toEqual(new Set([runId]));
  expect(first.map(({ name }) => name).filter((name) => name.startsWith('llm.tool'))).toEqual([
    'llm.tool_call',
    'llm.tool_result',
  ]);
  expect(textIn(first)).toBe('I look.There is none.');
  expect(first.at(-1)).toMatchObject({
    name: 'lifecycle.completed',
    data: { summary: 'I look.\n\nThere is none.' },
  });
  expect(JSON.stringify(scene.server.exchanges[0]?.body['messages'])).toContain(
    JSON.stringify('{"page":"topologies"}').slice(1, -1),
  );

  const { session_id: sessionId = '', context_id: contextId = '' } = started(first);
  const next = await all((await client.chat({ message: 'Sure?', sessionId })).events);
  expect(started(next)).toMatchObject({ session_id: sessionId });
  expect(JSON.stringify(scene.server.exchanges.at(-1)?.body)).toContain('There is none.');
  const forked = await all((await client.chat({ message: 'Really?', contextId })).events);
  expect(started(forked)).toMatchObject({ session_id: sessionId });
  const { data } = await api.ask<{ nodes: { question: string; parentId: string | null }[] }>(
    'GET',
    `/conversations/${sessionId}/tree`,
  );
  expect(data.nodes.map(({ question, parentId }) => [question, parentId])).toEqual([
    ['Which topologies are there?', null],
    ['Sure?', contextId],
    ['Really?', contextId],
  ]);
});

test('resumes an interrupted stream and sends the message once', async () => {
  const before = await chats();
  const connections = proxy.accepted;
  const words = Array.from({ length: 12 }, (_, i) => ({ text: `word ${i} ` }));
  // A word is said when the one before it was seen and the connection cut.
  let sayNext = () => {};
  const untilSeen: Reply = () => new Promise<void>((resolve) => (sayNext = resolve));
  const steps = words.flatMap((say): Reply[] => [
    ({ response, frames }) => void response.write(frames.say(say)),
    untilSeen,
  ]);
  scene.server.script(
    inTurn(
      begin(),
      ...steps,
      ({ response, frames }) => void response.end(frames.say({ end: 'stop' })),
    ),
  );
  const { events } = await client.chat({ message: 'Tell me.' });
  const seen: NamedEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.name !== 'llm.stream') continue;
    proxy.reset();
    sayNext();
  }
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, i) => i + 1));
  expect(textIn(seen)).toBe(words.map(({ text }) => text).join(''));
  expect(seen.at(-1)?.name).toBe('lifecycle.completed');
  expect(proxy.accepted - connections).toBeGreaterThanOrEqual(words.length);
  expect(await chats()).toBe(before + 1);
});

test('with an Idempotency-Key a caller may send it again: it is the same turn', async () => {
  const before = await chats();
  const send = () => client.chat({ message: 'Once.' }, { idempotencyKey: 'client-once' });
  const first = await send();
  const again = await send();
  expect(again.runId).toBe(first.runId);
  expect(await all(again.events)).toEqual(await all(first.events));
  expect(await chats()).toBe(before + 1);
});

test('a message without an answer is not sent again: the caller gets an error and decides', async () => {
  const before = await chats();
  proxy.cut();
  await expect(client.chat({ message: 'Are you there?' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  proxy.mend();
  await sleep(300);
  expect(await chats()).toBe(before);
});

describe('by callbacks', () => {
  /** What a listener hears of a chat: events by name, stream errors, and the end. */
  async function heard(
    withErrors: boolean,
    signal?: AbortSignal,
    onEvent: (event: NamedEvent | FailureEvent) => void = () => undefined,
  ) {
    const reported: unknown[] = [];
    const { events } = await client.chat({ message: 'Is it well?' }, { signal });
    await listen(
      events,
      {
        onEvent: (event) => {
          reported.push(event.name === 'error' ? event.error : event.name);
          onEvent(event);
        },
        ...(withErrors && {
          onStreamError: (failure: StreamFailure) => void reported.push(failure),
        }),
        onDone: () => void reported.push('done'),
      },
      signal,
    );
    return reported;
  }

  test.each([
    ['before its first word', refuse(401), 'AI_ERROR', false],
    ['in the middle of its answer', inTurn(begin({ text: 'So far' }), reset), 'AI_ERROR', true],
    [
      'since its provider is overloaded',
      inTurn(begin({ text: 'So far' }), errorEvent('overloaded_error')),
      'OVERLOADED',
      true,
    ],
  ])(
    'a turn that fails %s reports its error once and then ends',
    async (_, reply, code, retryable) => {
      scene.server.script(reply, reply);
      const failure = { message: expect.stringContaining('some-model'), code, retryable };
      const before = await chats();
      const reported = await heard(true);
      expect(reported.slice(-2)).toEqual([failure, 'done']);
      expect(reported.filter((each) => each !== 'done' && typeof each === 'object')).toHaveLength(
        1,
      );
      expect((await heard(false)).slice(-2)).toEqual(['lifecycle.failed', 'done']);
      // Nothing was sent again by itself.
      expect(await chats()).toBe(before + 2);
    },
  );

  test('a signal ends reading, not the turn', async () => {
    let goOn = () => {};
    const told = new Promise<void>((resolve) => (goOn = resolve));
    scene.server.script(
      inTurn(
        begin({ text: 'So far' }),
        () => told,
        ({ response, frames }) => void response.end(frames.say({ end: 'stop' })),
      ),
    );
    const abort = new AbortController();
    let runId = '';
    const all = await heard(true, abort.signal, (event) => {
      if (event.name === 'error') return;
      runId = event.run_id;
      if (event.name === 'llm.stream') abort.abort();
    });
    expect(all.at(-1)).toBe('done');
    expect(all).not.toContain('lifecycle.completed');
    expect((await client.show(runId)).status).toBe('running');
    goOn();
    await api.reaches(runId, 'completed');
  });

  test('a cancel is an event like any other', async () => {
    scene.server.script(inTurn(begin({ text: 'So far' }), silence));
    const told = await heard(true, undefined, (event) => {
      if (event.name === 'llm.stream') void client.cancel(event.run_id);
    });
    expect(told.slice(-2)).toEqual(['lifecycle.cancelled', 'done']);
  });
});

test('throws an error with the code of a refusal', async () => {
  await expect(client.chat({ message: ' ' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  await expect(
    client.chat({ message: 'Hello', sessionId: 'gone', contextId: 'gone~0123456789ab' }),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const small = await scene.service({ ...scene.hosted(), MONTHLY_MESSAGES: '1' });
  const poor = new Client(small.url, {
    headers: { cookie: 'consilium_caller=0123456789abcdef-poor' },
  });
  await all((await poor.chat({ message: 'Hello' })).events);
  const refused: unknown = await poor.chat({ message: 'Hello' }).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'RATE_LIMITED',
    message: 'Monthly message limit (1) reached. Upgrade for more.',
  });
});
