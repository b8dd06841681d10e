import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ask, as, type ChatEvent } from '../../support/chat.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterAll(() => scene.close());

type Json = Record<string, unknown>;

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(api.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    json: (await response.json()) as Json,
  };
}

const ofType = (events: readonly ChatEvent[], type: string) =>
  events.map(({ data }) => data).filter((data) => data['type'] === type);
const started = async (runId: string): Promise<Json> =>
  (await api.ask<{ items: { data: Json }[] }>('GET', `/executions/${runId}/events?limit=1`)).data
    .items[0]?.data ?? {};

describe('the oracle panel', () => {
  const stream = (body: object, name = 'panel') =>
    ask(`${api.url}/api/oracle/stream`, body, as(name));

  test('ignores sources that it does not know', async () => {
    const { status, events } = await stream({
      question: 'Which topologies are there?',
      sources: ['vault', 'code', 'threads'],
      user_agent: { unknown: true },
    });
    expect(status).toBe(200);
    expect(ofType(events, 'tool_call')[0]).toMatchObject({
      tool_call: { name: 'list_topologies' },
    });
    expect(events.at(-1)?.data['type']).toBe('done');
  });

  test.each(['default', '6b1f0e9c-8f5e-4f0f-9a53-2d3c1a1b2c3d', 999_999, 'shop', true])(
    'answers without the project %s, and says so',
    async (project_id) => {
      const { events } = await stream({ question: 'hello', project_id });
      expect(events[0]?.data['type']).toBe('context_update');
      expect(ofType(events, 'system')).toEqual([
        expect.objectContaining({
          system_type: 'unknown_topology',
          system_message: expect.stringContaining(`There is no topology "${project_id}"`),
        }),
      ]);
      expect(events.at(-1)?.data['type']).toBe('done');
    },
  );

  test('says which topology it answers about where the named one is unknown', async () => {
    const asked = { question: 'hello', context_id: 'kept-topology' };
    const url = `${api.url}/api/oracle/stream`;
    await ask(url, { ...asked, project_id: topologyId });
    const { events, runId } = await ask(url, { ...asked, project_id: 'shop' });
    expect(ofType(events, 'system')).toEqual([
      expect.objectContaining({
        system_message: `There is no topology "shop"; the answer is about topology ${topologyId}, as before.`,
      }),
    ]);
    expect((await started(runId))['topology_id']).toBe(topologyId);
  });

  test('answers with the default model instead of an unknown one, and says so', async () => {
    const { events } = await stream({ question: 'hello', model: 'gpt-unknown' });
    expect(ofType(events, 'system')).toEqual([
      expect.objectContaining({
        system_type: 'unknown_model',
        system_message: 'There is no model "gpt-unknown"; "runbook" answers instead.',
      }),
    ]);
  });

  test('answers without values that mean nothing', async () => {
    const empty = { model: '', context_id: '', project_id: '', sources: 'vault' };
    const { status, events } = await stream({ question: 'hello', ...empty });
    expect([status, ofType(events, 'system')]).toEqual([200, []]);
    expect(events.at(-1)?.data['type']).toBe('done');
  });

  test.each([
    [{ question: ' ' }, 'question must be a non-blank text of at most 10,000 characters'],
    [
      { context_id: 'a b' },
      'context_id must be a context_id as `done` or `lifecycle.started` gave it',
    ],
    [{ thinking: 'yes' }, 'thinking must be true or false'],
  ])('names the fault in the message of a refusal: %j', async (wrong, fault) => {
    const body = { question: 'hello', ...wrong };
    const { status, json } = await call('POST', '/api/oracle/stream', body);
    expect([status, json['message']]).toEqual([400, `The request is not valid: ${fault}`]);
  });

  test('gets one JSON answer from POST /api/oracle', async () => {
    const { status, json } = await call('POST', '/api/oracle', {
      question: 'Which topologies are there?',
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      answer: expect.stringMatching(/\w/),
      sources: expect.any(Array),
      system_messages: [],
      tokens_used: expect.any(Number),
      model_used: 'runbook',
      context_id: expect.stringContaining('~'),
    });
  });

  test.each([
    [{ question: ' ' }, 'question must be a non-blank text of at most 10,000 characters'],
    [{}, 'question must be'],
  ])('gets a JSON refusal from POST /api/oracle for %j', async (body, fault) => {
    const { status, json } = await call('POST', '/api/oracle', body);
    expect([status, json['message']]).toEqual([400, expect.stringContaining(fault)]);
  });

  test('gets one JSON answer although project, model and keys are unknown', async () => {
    const { status, json } = await call('POST', '/api/oracle', {
      question: 'hello',
      project_id: 'default',
      model: 'gpt-unknown',
      tab: 'vault',
    });
    const messages = (json['system_messages'] as Json[]).map(({ system_type }) => system_type);
    expect([status, messages.toSorted()]).toEqual([200, ['unknown_model', 'unknown_topology']]);
  });

  test('has no history, no trees and nothing to delete before its first question', async () => {
    const headers = as('newcomer');
    expect((await call('GET', '/api/oracle/history', undefined, headers)).json).toEqual({
      messages: [],
    });
    expect((await call('GET', '/api/oracle/context/trees', undefined, headers)).json).toMatchObject(
      {
        trees: [],
      },
    );
    expect(await call('DELETE', '/api/oracle/history', undefined, headers)).toMatchObject({
      status: 200,
      json: { deleted: 0 },
    });
    const unknown = await call('GET', '/api/oracle/context/trees/none', undefined, headers);
    expect([unknown.status, unknown.json['code']]).toEqual([404, 'NOT_FOUND']);
  });

  test('reads and deletes the history of its caller, and its conversations as trees', async () => {
    const headers = as('history');
    const first = await call('POST', '/api/oracle', { question: 'hello' }, headers);
    const context_id = String(first.json['context_id']);
    await call('POST', '/api/oracle', { question: 'What can you do?', context_id }, headers);
    const { json: history } = await call('GET', '/api/oracle/history', undefined, headers);
    expect((history['messages'] as Json[]).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
    const { json: all } = await call('GET', '/api/oracle/context/trees', undefined, headers);
    const [tree] = all['trees'] as Json[];
    expect([(all['trees'] as Json[]).length, tree?.['node_count']]).toEqual([1, 2]);
    const path = `/api/oracle/context/trees/${String(tree?.['root_id'])}`;
    const { json: whole } = await call('GET', path, undefined, headers);
    const nodes = whole['nodes'] as Json[];
    expect(nodes.map(({ parent_id }) => parent_id)).toEqual([null, nodes[0]?.['id']]);
    expect((await call('GET', path, undefined, as('somebody'))).status).toBe(404);

    expect(await call('DELETE', '/api/oracle/history', undefined, headers)).toMatchObject({
      status: 200,
      json: { status: 'cleared', deleted: 1 },
    });
    expect((await call('GET', '/api/oracle/history', undefined, headers)).json).toEqual({
      messages: [],
    });
    expect((await call('GET', path, undefined, headers)).status).toBe(404);
  });
});

describe('the topology of a conversation', () => {
  test('is kept for the messages after it, until another is named', async () => {
    const other = await api.store({
      ...topologyOf({ cart: await httpTarget(scene.targets, healthy) }),
      id: 4_711,
    });
    const url = `${api.url}/chat/stream`;
    const chat = async (more: object) => {
      const { runId } = await ask(url, { message: 'hello', session_id: 'kept', ...more });
      return (await started(runId))['topology_id'];
    };
    expect(await chat({})).toBeNull();
    expect(await chat({ topology_id: topologyId })).toBe(topologyId);
    expect(await chat({})).toBe(topologyId);
    expect(await chat({ topology_id: other })).toBe(other);
    await api.ask('DELETE', `/topologies/${other}`);
    expect(await chat({})).toBeNull();
  });

  test('is kept when a message is regenerated', async () => {
    const message = { role: 'user', parts: [{ type: 'text', text: 'hello' }] };
    const chat = async (more: object) => {
      const body = { id: 'again', messages: [message], ...more };
      return (await started((await ask(`${api.url}/api/chat`, body)).runId))['topology_id'];
    };
    expect(await chat({ topologyId })).toBe(topologyId);
    expect(await chat({ trigger: 'regenerate-message' })).toBe(topologyId);
  });
});

describe('the agent chat', () => {
  test('creates and lists conversations, with messages of up to 50,000 characters', async () => {
    const headers = as('agent');
    const { status, json } = await call(
      'POST',
      '/api/v1/conversations',
      { title: 'Cart' },
      headers,
    );
    const created = json['data'] as Json;
    expect([status, created]).toEqual([
      201,
      {
        id: expect.any(String),
        topology_id: null,
        running: null,
        title: 'Cart',
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    const path = `/api/v1/conversations/${String(created['id'])}`;
    expect((await call('GET', path, undefined, headers)).json).toEqual({ data: { messages: [] } });
    const long = await ask(`${api.url}${path}/stream`, { content: 'x'.repeat(50_000) }, headers);
    expect(long.status).toBe(200);
    const tooLong = await ask(`${api.url}${path}/stream`, { content: 'x'.repeat(50_001) }, headers);
    expect(tooLong.status).toBe(400);
    const { json: list } = await call('GET', '/api/v1/conversations', undefined, headers);
    expect((list['data'] as Json[]).map(({ id }) => id)).toEqual([created['id']]);
  });

  test.each([
    ['', { title: 7 }],
    ['', { title: 'x'.repeat(201) }],
    ['/none/stream', { content: ' ' }],
    ['/none/stream', { content: 'hello', topology_id: 'shop' }],
    ['/none/stream', { content: 'hello', onDisconnect: 'stop' }],
  ])('is refused what is not valid: POST /api/v1/conversations%s %j', async (path, body) => {
    const { status, json } = await call('POST', `/api/v1/conversations${path}`, body);
    expect([status, json['code']]).toEqual([400, 'VALIDATION_FAILED']);
  });

  test('sees no conversation of another caller', async () => {
    const { json } = await call('POST', '/api/v1/conversations', {}, as('owner'));
    const path = `/api/v1/conversations/${String((json['data'] as Json)['id'])}`;
    expect((await call('GET', path, undefined, as('other'))).status).toBe(404);
    const asked = await ask(`${api.url}${path}/stream`, { content: 'hello' }, as('other'));
    expect(asked.status).toBe(404);
    const { json: list } = await call('GET', '/api/v1/conversations', undefined, as('other'));
    expect(list['data']).toEqual([]);
  });

  test('a conversation without a title gets its first message as the title', async () => {
    const headers = as('untitled');
    const { json } = await call('POST', '/api/v1/conversations', {}, headers);
    const { id, title } = json['data'] as Json;
    expect(title).toBe('');
    for (const content of ['List the topologies', 'List the runs'])
      await ask(`${api.url}/api/v1/conversations/${String(id)}/stream`, { content }, headers);
    const { json: list } = await call('GET', '/api/v1/conversations', undefined, headers);
    expect(list['data']).toMatchObject([{ id, title: 'List the topologies' }]);
  });
});
