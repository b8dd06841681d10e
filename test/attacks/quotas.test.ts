import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { httpTarget, silent } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';
import { AttackScene } from './attack-scene.js';

const BASE = '/api/service/v1';
type Headers = Record<string, string>;

let attack: AttackScene;
/** Admins of two tenants; the runs of their topologies do not end by themselves. */
let greedy: { headers: Headers; topology: number };
let neighbour: typeof greedy;

beforeAll(async () => {
  attack = await AttackScene.open('keys', {
    MAX_OPEN_RUNS: '1',
    MAX_STREAMS: '3',
    TRIGGERS_PER_MINUTE: '4',
    CHATS_PER_MINUTE: '0',
    ALERTS_PER_MINUTE: '0',
    // Targets are on loopback, which tenants reach only if it is named.
    EGRESS_ALLOW: '127.0.0.0/8',
  });
  [greedy, neighbour] = [await tenant('greedy'), await tenant('neighbour')];
});
afterAll(() => attack.close());

async function tenant(name: string) {
  const headers = { authorization: `Bearer ${await keyOf(name, 'ann')}` };
  const topology = topologyOf({ shop: await httpTarget(attack.scene.targets, silent) });
  expect((await attack.post('/topologies', topology, headers)).status).toBe(201);
  return { headers, topology: topology.id };
}

async function keyOf(tenant: string, name: string): Promise<string> {
  const { said } = await attack.post('/keys', { name, role: 'admin', tenant });
  return (JSON.parse(said) as { data: { key: string } }).data.key;
}

const json = { accept: 'application/json', 'content-type': 'application/json' };
const trigger = ({ topology, headers }: typeof greedy, more: object = {}) =>
  attack.post(
    '/executions/trigger',
    { topologyId: topology, userMessage: 'x', ...more },
    { ...json, ...headers },
  );
const runIdOf = (said: string) => (JSON.parse(said) as { data: { runId: string } }).data.runId;
async function openRuns({ headers }: typeof greedy): Promise<number> {
  const { said } = await attack.ask(`${BASE}/executions?limit=200`, { headers });
  const { items } = (JSON.parse(said) as { data: { items: { status: string }[] } }).data;
  return items.filter(({ status }) => ['queued', 'running'].includes(status)).length;
}

const question = 'What is broken?';
const rpc = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});

describe('a tenant that has used up its open runs', () => {
  beforeAll(async () => void (await trigger(greedy)));

  it.each<[string, string, (topology: number) => object]>([
    ['a trigger', `${BASE}/executions/trigger`, (id) => ({ topologyId: id, userMessage: 'x' })],
    ['a chat', '/chat/stream', () => ({ message: question })],
    ['a question', '/api/oracle', () => ({ question })],
    ['a streamed question', '/api/oracle/stream', () => ({ question })],
    [
      'a message of the AI SDK',
      '/api/chat',
      () => ({
        id: 'talk',
        trigger: 'submit-message',
        messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: question }] }],
      }),
    ],
    [
      'a message of AG-UI',
      `${BASE}/ag-ui`,
      () => ({
        threadId: 'talk',
        runId: 'r',
        state: {},
        tools: [],
        context: [],
        forwardedProps: {},
        messages: [{ id: 'm', role: 'user', content: question }],
      }),
    ],
    ['an assistant that diagnoses', '/mcp', (id) => rpc('diagnose', { topologyId: id })],
    ['an assistant that asks', '/mcp', () => rpc('ask', { question })],
    [
      'an alert',
      `${BASE}/alerts/generic`,
      (id) => ({ alerts: [{ title: 'x', labels: { consilium_topology: String(id) } }] }),
    ],
  ])('starts no other by %s', async (_, path, body) => {
    const { said } = await attack.ask(path, {
      method: 'POST',
      body: JSON.stringify(body(greedy.topology)),
      headers: {
        'content-type': 'application/json',
        ...greedy.headers,
        accept: 'application/json, text/event-stream',
      },
    });
    expect(said).toContain('Your tenant may have 1 open runs');
    expect(await openRuns(greedy)).toBe(1);
  });

  it('starts no other with many requests at once, in the name of many principals', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, (_, i) => keyOf('greedy', `p${i}`)));
    const answers = await Promise.all(
      keys.map((key) => trigger({ ...greedy, headers: { authorization: `Bearer ${key}` } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(keys.map(() => 429));
    expect(await openRuns(greedy)).toBe(1);
  });

  it('starts no other by another tenant in its request, or another idempotency key', async () => {
    const names = { tenant: 'neighbour', owner: 'neighbour' };
    for (const headers of [{}, { 'x-tenant': 'neighbour' }, { 'idempotency-key': 'other' }]) {
      const sent = { ...greedy, headers: { ...greedy.headers, ...headers } };
      expect((await trigger(sent, names)).status).toBe(429);
    }
    expect([await openRuns(greedy), await openRuns(neighbour)]).toEqual([1, 0]);
  });

  it('takes nothing from another tenant', async () => {
    const { status, said } = await trigger(neighbour);
    expect(status).toBe(202);
    expect((await trigger(neighbour)).status).toBe(429);
    await attack.post('/executions/cancel', { runId: runIdOf(said) }, neighbour.headers);
    expect((await trigger(neighbour)).status).toBe(202);
  });
});

describe('a principal that has used up its triggers', () => {
  it('has no more by another key, a session, or another header', async () => {
    const one = await keyOf('shop', 'eve');
    const other = await keyOf('shop', 'eve');
    const session = await attack.ask('/auth/session', {
      method: 'POST',
      headers: { authorization: `Bearer ${one}` },
    });
    const cookie = String(session.headers['set-cookie']?.[0]).split(';')[0] ?? '';
    const ways: Headers[] = [
      { authorization: `Bearer ${one}` },
      { 'x-api-key': one },
      { authorization: `Bearer ${other}` },
      { cookie, 'x-requested-with': 'XMLHttpRequest' },
    ];
    const body = JSON.stringify({ topologyId: 987_654, userMessage: 'x' });
    const status = async (headers: Headers) => {
      const sent = { method: 'POST', body, headers: { ...json, ...headers } };
      return (await attack.ask(`${BASE}/executions/trigger`, sent)).status;
    };
    for (const headers of ways) expect(await status(headers)).toBe(404);
    for (const headers of ways) expect(await status(headers)).toBe(429);
    expect(await status({ authorization: `Bearer ${await keyOf('other', 'eve')}` })).toBe(404);
  });
});

describe('a principal that has opened all of its streams', () => {
  it('opens no more on any path, and a closed one makes room', async () => {
    const made = await attack.ask(`${BASE}/executions?limit=1`, { headers: neighbour.headers });
    const { items } = (JSON.parse(made.said) as { data: { items: { runId: string }[] } }).data;
    const path = `${attack.api.url}${BASE}/executions/${items[0]?.runId}/events`;
    const { headers } = neighbour;
    const open = () => {
      const controller = new AbortController();
      const stream = { ...headers, accept: 'text/event-stream' };
      return fetch(path, { headers: stream, signal: controller.signal }).then((response) => ({
        status: response.status,
        close: () => controller.abort(),
      }));
    };
    const streams = await Promise.all([open(), open(), open()]);
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await open()).status).toBe(429);
    for (const [method, other] of [
      ['POST', '/chat/stream'],
      ['POST', '/api/oracle/stream'],
      ['GET', `${BASE}/executions/${items[0]?.runId}/events?format=ai-sdk`],
    ] as const) {
      const body = method === 'POST' ? JSON.stringify({ message: question, question }) : undefined;
      const sent = { method, headers: { 'content-type': 'application/json', ...headers } };
      const { status } = await attack.ask(other, { ...sent, ...(body && { body }) });
      expect([other, status]).toEqual([other, 429]);
    }
    streams[0]?.close();
    await until('there is room for a stream', async () => {
      const next = await open();
      next.close();
      return next.status === 200;
    });
    streams.forEach(({ close }) => close());
  });
});
