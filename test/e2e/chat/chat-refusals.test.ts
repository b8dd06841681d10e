import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { ask } from '../../support/chat.js';
import { Scene } from '../../support/scene.js';

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

/** What a refusal of a request says: `path message` of each fault. */
async function faultsOf(path: string, body: unknown, method = 'POST'): Promise<string[]> {
  const sent =
    body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(api.url + path, { method, ...sent });
  const text = await response.text();
  expect([response.status, text]).toEqual([400, text]);
  const { data } = JSON.parse(text) as { data: { errors: { path: string; message: string }[] } };
  return data.errors.map(({ path: where, message }) => `${where} ${message}`);
}

const CHAT = '/chat/stream';
const ORACLE = '/api/oracle/stream';
const AG_UI = '/api/service/v1/ag-ui';
const AI_SDK = '/api/chat';
const hello = [{ role: 'user', content: 'hello', parts: [{ type: 'text', text: 'hello' }] }];
const tricky = { length: { valueOf: 1, toString: 1 } };

test.each<[string, string, unknown, string[]]>([
  ['a list for a body', CHAT, [], ['body must be a JSON object']],
  ['no body', CHAT, undefined, ['body must be a JSON object']],
  ['no message', CHAT, {}, ['message must be a text']],
  [
    'two ids that disagree',
    CHAT,
    { message: 'x', session_id: 's1', context_id: 's7~0123456789ab' },
    ['context_id must belong to the conversation that session_id names'],
  ],
  [
    'thinking that is a text',
    ORACLE,
    { question: 'x', thinking: 'yes' },
    ['thinking must be true or false'],
  ],
  ['no messages for AG-UI', AG_UI, { threadId: 't' }, ['messages must be a list']],
  [
    'messages that count like some',
    AG_UI,
    { threadId: 't', messages: tricky },
    ['messages must be a list'],
  ],
  [
    'an empty list of messages',
    AG_UI,
    { threadId: 't', messages: [] },
    ['messages must have a message of the user'],
  ],
  [
    'context for AG-UI that is a number',
    AG_UI,
    { threadId: 't', messages: hello, context: [5] },
    ['context.0 must be an object'],
  ],
  [
    'a run id that is a number',
    AG_UI,
    { threadId: 't', messages: hello, runId: 5 },
    ['runId must be a text of 1 to 128 characters'],
  ],
  ['no messages for useChat', AI_SDK, { id: 'c' }, ['messages must be a list']],
  [
    'useChat without a message of the user',
    AI_SDK,
    { id: 'c', messages: [{ role: 'assistant', parts: [] }] },
    ['messages must have a message of the user with a text part; the last one is asked'],
  ],
  [
    'useChat with a blank one',
    AI_SDK,
    { id: 'c', messages: [{ role: 'user', parts: [{ type: 'text', text: ' ' }] }] },
    ['messages must be a non-blank text of at most 10,000 characters'],
  ],
  [
    'another trigger',
    AI_SDK,
    { id: 'c', messages: hello, trigger: 'explode' },
    ['trigger must be one of submit-message, regenerate-message'],
  ],
])('lists what is allowed: %s', async (_, path, body, faults) => {
  expect(await faultsOf(path, body)).toEqual(faults);
});

test('validates the settings and lists what is allowed', async () => {
  const path = '/api/settings/agent-config';
  expect(await faultsOf(path, [], 'PUT')).toEqual(['body must be a JSON object']);
  expect(await faultsOf(path, undefined, 'PUT')).toEqual(['body must be a JSON object']);
  expect(await faultsOf(path, { speed: 1 }, 'PUT')).toEqual([
    expect.stringMatching(/^speed is not a limit; allowed: max_iterations, /),
  ]);
});

test('a page of conversations has at least one', async () => {
  const list = (query: string) =>
    faultsOf(`/api/service/v1/conversations?${query}`, undefined, 'GET');
  for (const limit of ['0', '201', 'x', '1&limit=2'])
    expect(await list(`limit=${limit}`)).toEqual(['limit must be an integer from 1 to 200']);
  expect(await list('cursor=x')).toEqual(['cursor must be the nextCursor of a page']);
});

test('names the node or conversation that cannot be continued', async () => {
  await ask(api.url + CHAT, { message: 'hello', session_id: 'known' });
  const fork = (id: string, nodeId: unknown) =>
    api.ask('POST', `/conversations/${id}/fork`, { body: { nodeId } });
  expect(await fork('known', 'known~0')).toMatchObject({
    status: 404,
    message: 'There is no node "known~0" in this conversation',
  });
  expect(await fork('unknown', 'known~0')).toMatchObject({
    status: 404,
    message: 'There is no such conversation',
  });
  expect(await fork('known', 5)).toMatchObject({
    status: 400,
    data: { errors: [{ path: 'nodeId', message: 'must be the id of a node of the tree' }] },
  });
});

test('a context_id continues its session', async () => {
  const first = await ask(api.url + CHAT, { message: 'hello', session_id: 'same' });
  const context_id = `same~${first.runId.slice(-12)}`;
  const again = await ask(api.url + CHAT, { message: 'hello', session_id: 'same', context_id });
  expect([again.status, again.events.at(-1)?.event]).toEqual([200, 'message_end']);
});
