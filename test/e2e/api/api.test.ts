import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import type { JsonObject } from '../../../src/lib/json.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
/** Runs of two topologies, oldest first; the last one is still running. */
const runs: string[] = [];
let first: number;
let second: number;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  first = await api.store(topologyOf({ api: await httpTarget(scene.targets, healthy) }));
  second = await api.store(topologyOf({ api: await httpTarget(scene.targets, silent) }));
  for (let i = 0; i < 5; i++)
    runs.push((await (await api.trigger(first, { userMessage: `run ${i}` })).end()).runId);
  for (let i = 0; i < 2; i++) runs.push(await api.accept(second));
  await api.cancel(runs[5] as string);
  await api.reaches(runs[6] as string, 'running');
});
afterAll(() => scene.close());

interface Page {
  items: { runId: string; status: string; topologyId: number }[];
  nextCursor: string | null;
}
const list = async (query: string): Promise<Page> =>
  (await api.ask<Page>('GET', `/executions${query}`)).data;
const ids = async (query: string) => (await list(query)).items.map(({ runId }) => runId);

describe('the list of runs', () => {
  test('has the newest first', async () => {
    expect(await list('')).toMatchObject({
      items: runs.toReversed().map((runId) => ({ runId })),
      nextCursor: null,
    });
  });

  test('is filtered by topology, status and kind, also together', async () => {
    expect(await ids(`?topologyId=${second}`)).toEqual([runs[6], runs[5]]);
    expect(await ids('?status=cancelled')).toEqual([runs[5]]);
    expect(await ids('?status=running')).toEqual([runs[6]]);
    expect(await ids('?status=failed')).toEqual([]);
    expect(await ids('?kind=chat')).toEqual([]);
    expect(await ids(`?kind=diagnosis&status=completed&topologyId=${first}`)).toEqual(
      runs.slice(0, 5).toReversed(),
    );
    expect(await ids(`?status=completed&topologyId=${second}`)).toEqual([]);
    expect(await ids('?topologyId=987654321')).toEqual([]);
  });

  test.each(['', '&status=completed', '&kind=diagnosis'])(
    'can be read page by page%s',
    async (filter) => {
      const whole = await ids(`?limit=200${filter}`);
      for (const limit of [1, 2, 3]) {
        const found: string[] = [];
        let cursor: string | null = '';
        while (cursor !== null) {
          const page: Page = await list(`?limit=${limit}${filter}${cursor && `&cursor=${cursor}`}`);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          found.push(...page.items.map(({ runId }) => runId));
          cursor = page.nextCursor;
        }
        expect(found).toEqual(whole);
      }
    },
  );
});

test('a run shows its kind, its question and its findings', async () => {
  const run = await api.show(runs[0] as string);
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown;
  expect(run).toMatchObject({
    runId: runs[0],
    kind: 'diagnosis',
    status: 'completed',
    partial: false,
    reasons: [],
    error: null,
    quiesced: true,
    topologyId: first,
    topologyVersion: 1,
    userMessage: 'run 0',
    createdAt: time,
    startedAt: time,
    endedAt: time,
    summary: expect.stringMatching(/Found 0 warnings, 0 critical issues\.$/) as unknown,
    report: {
      verdict: 'healthy',
      root_causes: [],
      findings: [],
      unchecked: [],
      counts: { critical: 0, warning: 0, info: 0 },
    },
  });
  expect(run.lastSequence).toBeGreaterThan(10);
  expect(run.usage['total_tokens']).toBe(
    (run.usage['input_tokens'] ?? NaN) + (run.usage['output_tokens'] ?? NaN),
  );
  const [created, started, ended] = [run.createdAt, run.startedAt, run.endedAt].map((at) =>
    Date.parse(at ?? ''),
  );
  expect(started).toBeGreaterThanOrEqual(created ?? NaN);
  expect(ended).toBeGreaterThanOrEqual(started ?? NaN);
  expect(await api.show(runs[6] as string)).toMatchObject({
    status: 'running',
    endedAt: null,
    summary: null,
    report: null,
  });
});

test('a run keeps the version of its topology; deleting it takes nothing from the run', async () => {
  const target = await httpTarget(scene.targets, silent);
  const topology = topologyOf({ api: target });
  const id = await api.store(topology);
  const run = await api.trigger(id);
  await run.has('event: llm.tool_call');
  await api.ask('PUT', `/topologies/${id}`, { body: { ...topology, name: 'Renamed' } });
  const later = await api.accept(id);
  expect(await api.show(later)).toMatchObject({ topologyVersion: 2 });
  expect((await api.ask('DELETE', `/topologies/${id}`)).status).toBe(200);
  expect(await api.show(run.runId)).toMatchObject({
    topologyId: id,
    topologyVersion: 1,
    status: 'running',
  });
  expect(
    (await api.ask('POST', '/executions/trigger', { body: { topologyId: id, userMessage: 'x' } }))
      .code,
  ).toBe('TOPOLOGY_NOT_FOUND');
  for (const runId of [run.runId, later]) expect((await api.cancel(runId)).status).toBe(200);
});

test('the tools are listed with sound JSON Schemas, the models without secrets', async () => {
  const tools = (
    await api.ask<{ items: { name: string; description: string; args: JsonObject }[] }>(
      'GET',
      '/tools',
    )
  ).data.items;
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'http_probe',
      'tcp_probe',
      'dns_lookup',
      'tls_certificate',
      'redis_inspect',
      'host_resources',
      'prometheus_metrics',
    ]),
  );
  for (const { name, description, args } of tools) {
    expect([name, description]).toEqual([
      expect.stringMatching(/^[a-z][a-z0-9_]*$/),
      expect.stringMatching(/.{20}/),
    ]);
    const { $schema: _dialect, ...schema } = args;
    const validate = new Ajv({ strict: false }).compile(schema);
    expect([validate({ node: 'x' }), validate({}), validate({ node: 5 })]).toEqual([
      true,
      false,
      false,
    ]);
  }
  const { text, data } = await api.ask<{ items: { name: string }[] }>('GET', '/models');
  expect(data.items).toContainEqual(expect.objectContaining({ name: 'runbook' }));
  expect(text).not.toMatch(/key"|token"|secret"|password/i);
});

test('health: ready and live, outside of the base path', async () => {
  for (const path of ['/health', '/health/live', '/health/ready']) {
    const answer = await fetch(api.url + path);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'ok' }),
    ]);
  }
});

// An alias, which is assignable to any record.
type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, JsonObject>>;
  components: { schemas: Record<string, unknown> };
};
const openApi = async () => (await (await fetch(`${api.url}/docs-json`)).json()) as OpenApi;

const TAKES_JSON = ['400', '401', '403', '413', '415', '429', '503', 'default'];
const STREAMS = ['200', '404', '410', '422', ...TAKES_JSON];

test.each<[string, string, string[], number?]>([
  ['/chat/stream', 'message', STREAMS],
  ['/api/oracle/stream', 'question', STREAMS],
  ['/api/v1/conversations/{id}/stream', 'content', STREAMS, 50_000],
  ['/api/service/v1/ag-ui', '', STREAMS],
  ['/api/chat', '', STREAMS],
  ['/api/service/v1/conversations/{id}/fork', '', ['200', '404', ...TAKES_JSON]],
])(
  'what POST %s may answer and takes is described',
  async (path, message, statuses, most = 10_000) => {
    const { parameters, responses, requestBody } = (await openApi()).paths[path]?.['post'] ?? {};
    expect(Object.keys(responses as JsonObject).sort()).toEqual(statuses.toSorted());
    const names = (parameters as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(
        statuses === STREAMS ? ['format', 'Idempotency-Key', 'Last-Event-ID'] : ['id'],
      ),
    );
    const { schema } =
      (requestBody as { content: Record<string, { schema: { properties: JsonObject } }> }).content[
        'application/json'
      ] ?? {};
    if (message !== '')
      expect(schema?.properties[message]).toMatchObject({
        type: 'string',
        minLength: 1,
        maxLength: most,
      });
  },
);

test('the API is described as OpenAPI, with every path and nothing that leads nowhere', async () => {
  expect((await fetch(`${api.url}/docs`)).headers.get('content-type')).toMatch(/^text\/html/);
  const document = await openApi();
  expect(document.openapi).toMatch(/^3\./);
  const { valid, errors } = await new Validator().validate(document);
  expect([valid, errors]).toEqual([true, undefined]);
  const base = '/api/service/v1';
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(calls).toEqual(
    expect.arrayContaining([
      `POST ${base}/executions/trigger`,
      `POST ${base}/executions/cancel`,
      `GET ${base}/executions`,
      `GET ${base}/executions/{runId}`,
      `GET ${base}/executions/{runId}/events`,
      `GET ${base}/tools`,
      `GET ${base}/models`,
      ...['GET', 'POST'].map((method) => `${method} ${base}/topologies`),
      ...['GET', 'PUT', 'DELETE'].map((method) => `${method} ${base}/topologies/{id}`),
      'GET /health',
      'GET /health/live',
      'GET /health/ready',
    ]),
  );
  const references = [
    ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
  ].map(([, name]) => name);
  expect(references.filter((name) => !(String(name) in document.components.schemas))).toEqual([]);
  for (const methods of Object.values(document.paths))
    for (const operation of Object.values(methods)) expect(operation).toHaveProperty('summary');
});
