import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { Scene } from '../../support/scene.js';
import type { Api } from '../../support/api.js';
import {
  expectJson,
  operationsOf,
  servedDocument,
  type OpenApi,
  type Operation,
} from '../../support/openapi.js';

let scene: Scene;
let api: Api;
let topologyId: number;
let document: OpenApi;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
  document = await servedDocument(api);
});
afterAll(() => scene.close());

test('every answer has a schema', () => {
  const without = operationsOf(document).flatMap(({ name, operation }) =>
    Object.entries(operation.responses)
      // Answers without content: RFC 9110, sections 15.3.5 and 15.4.5; notifications of MCP.
      .filter(([status]) => !['204', '304'].includes(status))
      .filter(([status]) => `${name} ${status}` !== 'POST /mcp 202')
      .filter(([, { content = {} }]) => {
        const schemas = Object.values(content).map(({ schema }) => schema);
        return schemas.length === 0 || schemas.some((schema) => schema === undefined);
      })
      .map(([status]) => `${name} ${status}`),
  );
  expect(without).toEqual([]);
  expect(operationsOf(document).length).toBeGreaterThan(35);
});

/** The body of the request that the README shows. */
const [TRIGGER] = /\{"topologyId".*?\}/.exec(readFileSync('README.md', 'utf8')) ?? [];

test('a generated client compiles', async () => {
  const generated = astToString(await openapiTS(JSON.stringify(document)));
  const use = `
    import type { paths } from './api.js';
    type Run = paths['/api/service/v1/executions/{runId}']['get']['responses'][200]['content']['application/json'];
    export const verdict = (run: Run): string | undefined => run.data.report?.verdict;
    export const node = (run: Run): string | undefined => run.data.report?.findings[0]?.node;
    type Topology = paths['/api/service/v1/topologies/{id}']['get']['responses'][200]['content']['application/json'];
    export const first = ({ data }: Topology): string | undefined => data.nodes[0]?.endpoint;
    type Trigger = NonNullable<paths['/api/service/v1/executions/trigger']['post']['requestBody']>['content']['application/json'];
    export const wanted: Trigger = ${TRIGGER};
    export const limited: Trigger = { topologyId: 1, userMessage: 'Slow.', limits: { maxIterations: 5 } };
    type Query = NonNullable<paths['/api/service/v1/topologies/query']['post']['requestBody']>['content']['application/json'];
    export const all: Query = {};
    export const slowMs = ({ data }: Topology): number | undefined => data.nodes[0]?.attributes?.slowMs;
    type Events = paths['/api/service/v1/executions/{runId}/events']['get']['responses'][200]['content']['application/json'];
    type Event = Events['data']['items'][number];
    export const when = ({ event, sequence, timestamp }: Event): string =>
      event.category + '.' + event.action + ' ' + sequence.toFixed() + ' ' + timestamp;
    // @ts-expect-error an event has no such property
    export const wrong = (event: Event) => event.sequenceNumber;
    // @ts-expect-error an attribute has its type
    export const text = ({ data }: Topology): string | undefined => data.nodes[0]?.attributes?.slowMs;
  `;
  const files = new Map([
    ['/api.ts', generated],
    ['/use.ts', use],
  ]);
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    getSourceFile: (name, target) => {
      const text = files.get(name);
      return text === undefined
        ? disk.getSourceFile(name, target)
        : ts.createSourceFile(name, text, target);
    },
    fileExists: (name) => files.has(name) || disk.fileExists(name),
    readFile: (name) => files.get(name) ?? disk.readFile(name),
  };
  const faults = ts.getPreEmitDiagnostics(ts.createProgram(['/use.ts'], options, host));
  expect(
    faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')),
  ).toEqual([]);
});

describe('what is answered is what is described', () => {
  const expectDescribed = async (
    method: string,
    described: string,
    path: string,
    body?: unknown,
  ): Promise<unknown> => {
    const response = await fetch(`${api.url}${path}`, {
      method,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data?: unknown };
    const operation = document.paths[described]?.[method.toLowerCase()] as Operation;
    expectJson(`${method} ${path}`, operation, response.status, answer);
    return answer.data;
  };

  test('of runs', async () => {
    const base = '/api/service/v1/executions';
    const stream = await (await api.trigger(topologyId)).end();
    await expectDescribed('GET', base, base);
    await expectDescribed('GET', `${base}/{runId}`, `${base}/${stream.runId}`);
    await expectDescribed('GET', `${base}/{runId}/events`, `${base}/${stream.runId}/events`);
    await expectDescribed('POST', `${base}/cancel`, `${base}/cancel`, { runId: stream.runId });
    await expectDescribed('POST', `${base}/trigger`, `${base}/trigger`, {
      topologyId,
      userMessage: 'Slow.',
    });
    await expectDescribed('POST', `${base}/trigger`, `${base}/trigger`, {});
  });

  test('of topologies', async () => {
    const base = '/api/service/v1/topologies';
    const { endpoint } = await httpTarget(scene.targets, healthy);
    const topology = {
      id: 77,
      name: 'Shop',
      nodes: [{ id: 'a', name: 'A', kind: 'service', endpoint }],
    };
    await expectDescribed('POST', base, base, topology);
    await expectDescribed('POST', base, base, topology);
    await expectDescribed('POST', base, base, { id: 0 });
    await expectDescribed('GET', base, base);
    await expectDescribed('GET', `${base}/{id}`, `${base}/77`);
    await expectDescribed('PUT', `${base}/{id}`, `${base}/77`, topology);
    await expectDescribed('POST', `${base}/query`, `${base}/query`, { page: 1, size: 5 });
    await expectDescribed('POST', `${base}/graph/query`, `${base}/graph/query`, { topologyId: 77 });
    const bounds = '/api/service/v1/agent-bounds/query-hierarchy';
    await expectDescribed('POST', bounds, bounds, { topologyId: 77 });
    await expectDescribed('DELETE', `${base}/{id}`, `${base}/77`);
    await expectDescribed('GET', `${base}/{id}`, `${base}/77`);
  });

  test('of conversations', async () => {
    const base = '/api/service/v1/conversations';
    const own = '/api/v1/conversations';
    await expectDescribed('POST', '/api/oracle', '/api/oracle', {
      question: 'Which topologies are there?',
    });
    const [{ id }] = ((await expectDescribed('GET', base, base)) as { items: [{ id: string }] })
      .items;
    for (const path of ['', '/tree'])
      await expectDescribed('GET', `${base}/{id}${path}`, `${base}/${id}${path}`);
    await expectDescribed('POST', `${base}/{id}/fork`, `${base}/${id}/fork`, { nodeId: 'none' });
    await expectDescribed('GET', own, own);
    await expectDescribed('POST', own, own, {});
    await expectDescribed('GET', `${own}/{id}`, `${own}/${id}`);
    for (const path of ['history', 'context/trees'])
      await expectDescribed('GET', `/api/oracle/${path}`, `/api/oracle/${path}`);
    await expectDescribed(
      'GET',
      '/api/oracle/context/trees/{rootId}',
      `/api/oracle/context/trees/${id}`,
    );
    await expectDescribed('POST', '/api/oracle/cancel', '/api/oracle/cancel', {});
    await expectDescribed('DELETE', '/api/oracle/history', '/api/oracle/history');
    const settings = '/api/settings/agent-config';
    await expectDescribed('GET', settings, settings);
    await expectDescribed('PUT', settings, settings, { max_iterations: 5 });
    await expectDescribed('POST', `${settings}/reset`, `${settings}/reset`, {});
  });

  test('of the catalogue and of operations', async () => {
    const paths = ['tools', 'models', 'behaviours', 'rules', 'subscribers', 'tools/quarantine'];
    for (const path of paths.map((name) => `/api/service/v1/${name}`))
      await expectDescribed('GET', path, path);
    for (const path of ['/health', '/health/live', '/health/ready', '/api/system/info'])
      await expectDescribed('GET', path, path);
  });
});
