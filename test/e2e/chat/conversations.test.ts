import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Test } from '@nestjs/testing';
import { AppModule } from '../../../src/app.module.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { RedisLog } from '../../../src/event-log/redis-log.js';
import { Retention } from '../../../src/event-log/retention.js';
import type { Api } from '../../support/api.js';
import { as, ask } from '../../support/chat.js';
import { Scene } from '../../support/scene.js';
import { httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

interface Message {
  id: string;
  role: string;
  content: string;
  run_id: string;
  partial: boolean;
}
interface Node {
  id: string;
  parentId: string | null;
  question: string;
}

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

const say = (id: string, content: string, more: object = {}) =>
  ask(`${api.url}/api/v1/conversations/${id}/stream`, { content, ...more });
const messages = async (id: string): Promise<Message[]> => {
  const response = await fetch(`${api.url}/api/v1/conversations/${id}`);
  return ((await response.json()) as { data: { messages: Message[] } }).data.messages;
};

test('format agent: an unused id begins a conversation, whose messages can be read', async () => {
  const { status, text, runId } = await say('talk-1', 'hello there');
  expect(status).toBe(200);
  expect(text).toMatch(
    /"type":"stream_start".*"type":"stream_end","reason":"stop".*data: \[DONE\]\n\n$/s,
  );
  await say('talk-1', 'List the topologies');
  expect(await messages('talk-1')).toMatchObject([
    { role: 'user', content: 'hello there', run_id: runId, partial: false },
    {
      role: 'assistant',
      content: expect.stringContaining('I answer questions about topologies'),
      run_id: runId,
      partial: false,
    },
    { role: 'user', content: 'List the topologies' },
    {
      role: 'assistant',
      content: expect.stringContaining('There is no topology yet'),
      tool_calls: [{ tool: 'list_topologies', status: 'ok', duration_ms: expect.any(Number) }],
    },
  ]);
});

test('renames and deletes a conversation', async () => {
  await say('named-1', 'first');
  const rename = (title: string) =>
    api.ask<{ title: string }>('PATCH', '/conversations/named-1', { body: { title } });
  expect(await rename('')).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  expect((await rename('A better name')).data.title).toBe('A better name');
  await say('named-1', 'second');
  const shown = await api.ask<{ title: string }>('GET', '/conversations/named-1');
  expect(shown.data.title).toBe('A better name');
  expect((await api.ask('DELETE', '/conversations/named-1')).status).toBe(200);
  for (const [method, body] of [
    ['GET', undefined],
    ['DELETE', undefined],
    ['PATCH', { title: 'x' }],
  ] as const)
    expect(await api.ask(method, '/conversations/named-1', { body })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
});

test('forks a conversation at an earlier exchange', async () => {
  await say('tree-1', 'first');
  await say('tree-1', 'second');
  const show = await api.ask<{ head: string; title: string; messages: Message[] }>(
    'GET',
    '/conversations/tree-1',
  );
  expect(show.data).toMatchObject({ title: 'first', messages: [{}, {}, {}, {}] });
  const nodeId = show.data.messages[1]?.id;
  const forked = await api.ask('POST', '/conversations/tree-1/fork', { body: { nodeId } });
  expect(forked).toMatchObject({ status: 200, data: { head: nodeId, messages: [{}, {}] } });
  await say('tree-1', 'third');
  const { data } = await api.ask<{ heads: string[]; nodes: Node[] }>(
    'GET',
    '/conversations/tree-1/tree',
  );
  expect(data.heads).toHaveLength(2);
  expect(data.nodes.map(({ question, parentId }) => [question, parentId])).toEqual([
    ['first', null],
    ['second', nodeId],
    ['third', nodeId],
  ]);
  expect(
    (await messages('tree-1')).map(({ content }) => content).filter((_, i) => i % 2 === 0),
  ).toEqual(['first', 'third']);
  const listed = await api.ask<{ items: { id: string }[] }>('GET', '/conversations');
  expect(listed.data.items.map(({ id }) => id)).toContain('tree-1');
  expect(
    (await api.ask('POST', '/conversations/tree-1/fork', { body: { nodeId: 'tree-1~0' } })).status,
  ).toBe(404);
});

test('a new message cancels the running turn, which leaves no empty answer', async () => {
  const dead = await httpTarget(scene.targets, silent);
  const topology_id = await api.store(topologyOf({ slow: dead }));
  const first = say('busy-1', 'Is slow ok?', { topology_id });
  await until('a probe in flight', () => dead.hits > 0);
  await say('busy-1', 'hello');
  expect((await first).text).toContain('"reason":"cancelled"');
  expect(await messages('busy-1')).toMatchObject([
    { role: 'user', content: 'Is slow ok?' },
    { role: 'user', content: 'hello' },
    { role: 'assistant', partial: false },
  ]);
});

test('keeps answers after the logs of their turns were deleted', async () => {
  const said = [await say('old-1', 'List the topologies'), await say('old-1', 'hello there')];
  const before = await messages('old-1');
  const unread = await say('old-1', 'open the runs page');
  const config = loadConfig({
    ROLE: 'worker',
    REDIS_URL: scene.redis.url,
    REDIS_PREFIX: scene.redis.prefix,
    PORT: '0',
  });
  const worker = await Test.createTestingModule({ imports: [AppModule.for(config)] }).compile();
  for (const { runId } of [...said, unread])
    expect(await worker.get(Retention, { strict: false }).trim(runId)).toBe(true);
  await worker.close();
  for (const { runId } of [...said, unread])
    expect((await api.ask('GET', `/executions/${runId}/events`)).status).toBe(410);
  expect(await messages('old-1')).toEqual([
    ...before,
    expect.anything(),
    expect.objectContaining({ content: 'Opening runs.', partial: false }),
  ]);
  // The next turn mentions it.
  const next = await say('old-1', 'hello again');
  expect(next.status).toBe(200);
  expect(
    JSON.stringify((await new RedisLog(scene.redis.redis, config).spec(next.runId))?.chat?.history),
  ).toContain('Opening runs.');
});

test('AG-UI: the thread is the conversation', async () => {
  const input = {
    threadId: 'thread-1',
    runId: 'r',
    state: {},
    tools: [],
    context: [],
    forwardedProps: {},
  };
  const { status, events } = await ask(api.at('/ag-ui'), {
    ...input,
    messages: [{ id: '1', role: 'user', content: 'hello' }],
  });
  expect([status, events[0]?.data['type'], events.at(-1)?.data['type']]).toEqual([
    200,
    'RUN_STARTED',
    'RUN_FINISHED',
  ]);
  expect(events[0]?.data).toMatchObject({ threadId: 'thread-1' });
  expect(await messages('thread-1')).toHaveLength(2);
  expect((await ask(api.at('/ag-ui'), { ...input, messages: [] })).status).toBe(400);
});

test('useChat: sends two messages and finds no running turn', async () => {
  const body = {
    id: 'use-chat-1',
    messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'hello' }] }],
  };
  const { status, headers, text } = await ask(`${api.url}/api/chat`, {
    ...body,
    trigger: 'submit-message',
  });
  expect([status, headers.get('x-vercel-ai-ui-message-stream')]).toEqual([200, 'v1']);
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  await ask(`${api.url}/api/chat`, { ...body, trigger: 'regenerate-message' });
  expect(await messages('use-chat-1')).toHaveLength(2);
  expect((await fetch(`${api.url}/api/chat/use-chat-1/stream`)).status).toBe(204);
});

test('a conversation has its first line as title and expires after CONVERSATION_DAYS', async () => {
  const short = await scene.service({ CONVERSATION_DAYS: '2' });
  const words = `Why  is\nthe shop ${'so very '.repeat(20)}slow?`;
  await ask(`${short.url}/api/v1/conversations/titled-1/stream`, { content: words });
  const titled = async () =>
    (await short.ask<{ title: string }>('GET', '/conversations/titled-1')).data.title;
  expect(await titled()).toMatch(/^Why is the shop so very .{20,40}…$/);
  await ask(`${short.url}/api/v1/conversations/titled-1/stream`, { content: 'hello' });
  expect(await titled()).toMatch(/^Why is/);
  const left = await scene.redis.redis.ttl(`${scene.redis.prefix}:{conversation:titled-1}`);
  expect(left).toBeGreaterThan(2 * 86_400 - 60);
  expect(left).toBeLessThanOrEqual(2 * 86_400);
});

test('settings are limits of the next turn, of the caller alone', async () => {
  const url = `${api.url}/api/settings/agent-config`;
  const headers = { 'content-type': 'application/json', ...as('set') };
  const put = (body: object) => fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(await (await put({ max_iterations: 3 })).json()).toMatchObject({
    max_iterations: 3,
    token_budget: 50_000,
    timeout_seconds: 120,
  });
  expect((await put({ max_iterations: 0 })).status).toBe(400);
  expect(await (await fetch(url)).json()).toMatchObject({ max_iterations: 15 });
  expect(await (await fetch(`${url}/reset`, { method: 'POST', headers })).json()).toMatchObject({
    max_iterations: 15,
  });
});
