import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { loadConfig } from '../../../src/config/load-config.js';
import { RedisLog } from '../../../src/event-log/redis-log.js';
import type { Api } from '../../support/api.js';
import { as, ask } from '../../support/chat.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  topologyId = await api.store(topologyOf({ shop: await httpTarget(scene.targets, healthy) }));
});
afterAll(() => scene.close());

const GONE = { status: 410, code: 'RUN_EXPIRED', data: null };
const NONE = { status: 404, code: 'RUN_NOT_FOUND', data: null };
const JSON_OR_STREAM = ['application/json', 'text/event-stream'];
const events = (runId: string, accept: string, cursor?: string, cookie = {}) =>
  api.ask('GET', `/executions/${runId}/events`, {
    headers: { accept, ...(cursor && { 'last-event-id': cursor }), ...cookie },
  });

test.each(JSON_OR_STREAM)(
  'a missing run is gone for a client that has seen events of it, and unknown to others (%s)',
  async (accept) => {
    expect(await events(uuid(), accept, '3')).toMatchObject(GONE);
    expect(
      await api.ask('GET', `/executions/${uuid()}/events?after=3`, { headers: { accept } }),
    ).toMatchObject(GONE);
    for (const cursor of [undefined, '0'])
      expect(await events(uuid(), accept, cursor)).toMatchObject(NONE);
    // An id of version 4, which this service never mints.
    expect(await events(randomUUID(), accept, '3')).toMatchObject(NONE);
  },
);

test("another caller's chat is answered like a missing run", async () => {
  const mine = await ask(`${api.url}/chat/stream`, { message: 'hello' }, as('mine'));
  const yours = as('yours');
  for (const accept of JSON_OR_STREAM) {
    expect(await events(mine.runId, accept, '2', yours)).toMatchObject(GONE);
    expect(await events(mine.runId, accept, undefined, yours)).toMatchObject(NONE);
  }
});

test('a lost idempotency key starts no other run for a client that resumes after an event', async () => {
  const body = { topologyId, userMessage: 'Something seems wrong.' };
  const trigger = (headers: Record<string, string>) =>
    api.ask<{ runId: string }>('POST', '/executions/trigger', {
      body,
      headers: { 'idempotency-key': 'lost', ...headers },
    });
  const before = (await api.ask<{ items: unknown[] }>('GET', '/executions?limit=200')).data.items
    .length;
  expect(await trigger({ accept: 'text/event-stream', 'last-event-id': '4' })).toMatchObject(GONE);
  expect(
    (await api.ask<{ items: unknown[] }>('GET', '/executions?limit=200')).data.items,
  ).toHaveLength(before);
  // From the beginning it may.
  const { status, data } = await trigger({});
  expect(status).toBe(202);
  await api.reaches(data.runId, 'completed');
  expect(await trigger({ accept: 'text/event-stream', 'last-event-id': '4' })).toMatchObject({
    status: 200,
  });
});

test('returns 410 at the chat endpoints if a chat lost events', async () => {
  const headers = { ...as('chatting'), 'idempotency-key': 'turn' };
  const body = {
    id: 'lost-chat',
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
  };
  const send = (more = {}) => ask(`${api.url}/api/chat`, body, { ...headers, ...more });
  const { runId, status } = await send();
  expect(status).toBe(200);
  const log = new RedisLog(
    scene.redis.redis,
    loadConfig({ REDIS_URL: scene.redis.url, REDIS_PREFIX: scene.redis.prefix }),
  );
  await log.markLost(runId, 2);
  for (const cursor of ['1', '2']) {
    const { status, text } = await send({ 'last-event-id': cursor });
    expect([status, JSON.parse(text)]).toMatchObject([410, { code: 'RUN_EXPIRED' }]);
  }
  expect((await send({ 'last-event-id': '3' })).status).toBe(200);
});
