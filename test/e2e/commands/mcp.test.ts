import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Api } from '../../support/api.js';
import { builtFile } from '../../support/processes/built.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const ROOT = join(import.meta.dirname, '../../..');

let scene: Scene;
let api: Api;
let topologyId: number;
const clients: Client[] = [];

beforeEach(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await scene.close();
});

async function connect(transport: Transport, mode: 'legacy' | 'auto' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  clients.push(client);
  await client.connect(transport);
  return client;
}

const overHttp = () => new StreamableHTTPClientTransport(new URL('/mcp', api.url));
const overStdio = () =>
  new StdioClientTransport({
    command: process.execPath,
    args: [builtFile('src/cli/mcp.ts'), '--server', api.url],
    cwd: ROOT,
  });

async function call(client: Client, name: string, args: object, options: object = {}) {
  const result = await client.callTool({ name, arguments: { ...args } }, options);
  return { ...result, data: result.structuredContent as Record<string, unknown> };
}

describe.each([
  ['HTTP, protocol of 2025', overHttp, 'legacy'],
  ['HTTP, protocol of 2026', overHttp, 'auto'],
  ['standard input and output', overStdio, 'auto'],
] as const)('over %s', (_, transport, mode) => {
  it('lists, diagnoses, reports progress, and answers a question', async () => {
    const client = await connect(transport(), mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      'ask',
      'cancel_diagnosis',
      'diagnose',
      'get_report',
      'list_runs',
      'list_topologies',
    ]);
    const schema = tools.find(({ name }) => name === 'diagnose')?.inputSchema;
    expect(schema).toMatchObject({ required: ['topologyId'], properties: { waitSeconds: {} } });

    const { data: list } = await call(client, 'list_topologies', {});
    expect(list['topologies']).toContainEqual(expect.objectContaining({ id: topologyId }));

    const progress: number[] = [];
    const onprogress = ({ progress: value }: { progress: number }) => void progress.push(value);
    const { data: run } = await call(client, 'diagnose', { topologyId }, { onprogress });
    expect(run).toMatchObject({ status: 'completed', report: { verdict: 'healthy' } });
    expect(run['next']).toBeUndefined();
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));

    const { data: again } = await call(client, 'get_report', {
      runId: run['runId'],
      afterSeq: run['lastSeq'],
    });
    expect(again).toMatchObject({ status: 'completed', progress: [], lastSeq: run['lastSeq'] });

    const { data: said } = await call(client, 'ask', {
      question: `What was the verdict of topology ${topologyId}?`,
    });
    expect(said['answer']).not.toBe('');
    expect(said['conversationId']).toEqual(expect.any(String));
  });
});

it('returns before the end of a long run, which continues until it is cancelled', async () => {
  const answer = held(healthy);
  const target = await httpTarget(scene.targets, answer);
  const id = await api.store(topologyOf({ shop: target }));
  const client = await connect(overHttp());
  const { data: run } = await call(client, 'diagnose', { topologyId: id, waitSeconds: 0 });
  expect(run).toMatchObject({ report: null, next: expect.stringContaining('get_report') });

  const { data: cancelled } = await call(client, 'cancel_diagnosis', { runId: run['runId'] });
  expect(cancelled).toMatchObject({ status: 'cancelled' });
  const { data: report } = await call(client, 'get_report', { runId: run['runId'] });
  expect(report).toMatchObject({ status: 'cancelled' });
  answer.release();
});

it('does not stop a run if its host gives up the call', async () => {
  const answer = held(healthy);
  const target = await httpTarget(scene.targets, answer);
  const id = await api.store(topologyOf({ shop: target }));
  const client = await connect(overHttp());
  const controller = new AbortController();
  const given = call(client, 'diagnose', { topologyId: id }, { signal: controller.signal });
  given.catch(() => undefined);
  await until('the probe', () => target.hits > 0);
  controller.abort();
  await expect(given).rejects.toThrow();
  answer.release();
  const { data } = await api.ask<{ items: { runId: string }[] }>(
    'GET',
    `/executions?topologyId=${id}`,
  );
  expect(data?.items).toHaveLength(1);
  await api.reaches(data?.items[0]?.runId ?? '', 'completed');
});

it('reports what the service refuses as an error of the tool', async () => {
  const client = await connect(overHttp());
  const unknown = await call(client, 'get_report', { runId: 'no-such-run' });
  expect(unknown).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/RUN_NOT_FOUND|VALIDATION_FAILED/) }],
  });
});

it.each([
  ['diagnose', { topologyId: 'three' }, 'topologyId must be a number'],
  ['diagnose', {}, 'topologyId is missing'],
  [
    'diagnose',
    { topologyId: 0, waitSeconds: 601 },
    'topologyId must be at least 1; waitSeconds must be at most 600',
  ],
  ['ask', { question: '' }, 'question must have at least 1 character'],
  ['list_runs', { kind: 'run' }, 'kind must be one of diagnosis, chat'],
  [
    'list_runs',
    { since: 'monday' },
    'since must be a time as in ISO 8601, such as 2026-11-22T18:00:00Z',
  ],
])('refuses the arguments of %s %j in its own words', async (name, args, text) => {
  const client = await connect(overHttp());
  expect(await call(client, name, args)).toMatchObject({
    isError: true,
    content: [{ text: `VALIDATION_FAILED: The arguments of ${name} are not valid: ${text}` }],
  });
});

it('lists diagnoses and chats apart, and those of a time', async () => {
  const client = await connect(overHttp());
  const { data: run } = await call(client, 'diagnose', { topologyId });
  await call(client, 'ask', { question: 'list the runs' });
  const list = async (args: object) =>
    (await call(client, 'list_runs', args)).data['runs'] as { kind: string; runId: string }[];
  expect(await list({})).toMatchObject([{ kind: 'diagnosis', runId: run['runId'], topologyId }]);
  expect(await list({ kind: 'chat' })).toMatchObject([{ kind: 'chat' }]);
  expect(await list({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
  expect(await list({ since: '2020-01-01T00:00:00Z', limit: 1, topologyId })).toHaveLength(1);
});
