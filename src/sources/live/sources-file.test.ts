import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { MCP_COMMAND } from '../../../test/support/programs/mcp-program.js';
import {
  startPrometheusReplay,
  type PrometheusReplay,
} from '../../../test/support/sources/prometheus-replay.js';
import { startLokiReplay } from '../../../test/support/sources/loki-replay.js';
import { checkSource } from './check-source.js';
import { observe } from '../observe.js';
import { UnreadNodesError } from '../unread-nodes.js';
import { liveSources } from './live-sources.js';
import { readSourcesFile } from './sources-file.js';

const TOKEN = 'tok-123456';
const reach = {
  egress: anyEgress,
  secretOf: (name: string) => (name === 'PROM_TOKEN' ? TOKEN : undefined),
};
const live = new AbortController().signal;

let replay: PrometheusReplay | undefined;
afterEach(async () => {
  await replay?.close();
  replay = undefined;
});

async function fileWith(text: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'sources-')), 'sources.yaml');
  await writeFile(path, text);
  return path;
}
const listing = (endpoint: string, auth: string) =>
  fileWith(
    `sources:\n  - { id: prom, kind: prometheus, endpoint: '${endpoint}', auth: ${auth} }\n`,
  );

describe('readSourcesFile', () => {
  test('has no servers without a file', () => expect(readSourcesFile(undefined)).toEqual([]));

  test('names a file that is not there, and a misspelt key with its line', async () => {
    expect(() => readSourcesFile('/nowhere/sources.yaml')).toThrow(
      '/nowhere/sources.yaml there is no such file',
    );
    const path = await fileWith(
      'sources:\n  - id: a\n    kind: prometheus\n    endpont: http://x\n',
    );
    expect(() => readSourcesFile(path)).toThrow(/:2 sources\[0\]\.endpoint is missing/);
    expect(() => readSourcesFile(path)).toThrow(/:4 .*did you mean "endpoint"\?/);
  });

  test('refuses a credential that is no reference, without repeating it', async () => {
    const path = await listing('http://prom:9090', `{ bearer: '${TOKEN}' }`);
    expect(() => readSourcesFile(path)).toThrow(/sources\.yaml:2 .*bearer must be a reference/);
    expect(() => readSourcesFile(path)).not.toThrow(TOKEN);
  });

  test.each([
    ['kafka://b', 'mechanism: LOGIN', /auth\.mechanism must be one of/],
    ['kafka://u:p@b:9092', 'mechanism: PLAIN', /endpoint must be kafka:\/\/host:port/],
    ['b:9092', 'mechanism: PLAIN', /endpoint/],
  ])('refuses the Kafka %s with %s', async (endpoint, mechanism, fault) => {
    const auth = `{ user: u, password: '\${env:PASSWORD}', ${mechanism} }`;
    const path = await fileWith(
      `sources:\n  - { id: bus, kind: kafka, endpoint: '${endpoint}', auth: ${auth} }\n`,
    );
    expect(() => readSourcesFile(path)).toThrow(fault);
  });

  const one = "{ id: a, kind: prometheus, endpoint: 'http://a' }";
  test.each([
    'sources: 1',
    'sources:\n  - { id: a, kind: x, endpoint: y }',
    '',
    'sources: [',
    '}{',
    `sources: [${one}, ${one}]`,
  ])('refuses %j', async (text) => {
    const path = await fileWith(text);
    expect(() => readSourcesFile(path)).toThrow('SOURCES_FILE');
  });
});

describe('checkSource', () => {
  const check = async (auth: string, status = 200) => {
    replay = await startPrometheusReplay([]);
    if (status !== 200) replay.answerNext(status, '{}');
    const [server] = readSourcesFile(await listing(replay.url, auth));
    if (server === undefined) throw new Error('the file lists no server');
    return checkSource(server, reach, live);
  };

  test('sends the credential that the reference names, and never shows it', async () => {
    const state = await check("{ bearer: '${env:PROM_TOKEN}' }");
    expect(state).toMatchObject({ id: 'prom', state: 'ok', detail: '' });
    expect(replay?.asked[0]?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.stringify(state)).not.toContain(TOKEN);
  });

  test('sends a user name with a password', async () => {
    await check("{ user: ops, password: '${env:PROM_TOKEN}' }");
    const pair = Buffer.from(`ops:${TOKEN}`).toString('base64');
    expect(replay?.asked[0]?.authorization).toBe(`Basic ${pair}`);
  });

  test('tells a refused credential from a server that does not answer', async () => {
    expect(await check("{ bearer: '${env:PROM_TOKEN}' }", 403)).toMatchObject({ state: 'refused' });
    await replay?.close();
    const [server] = readSourcesFile(
      await listing(replay?.url ?? '', "{ bearer: '${env:PROM_TOKEN}' }"),
    );
    const state = server && (await checkSource(server, reach, live));
    replay = undefined;
    expect(state).toMatchObject({ state: 'unreachable' });
  });

  test('says which credential is missing', async () => {
    expect(await check("{ bearer: '${env:OTHER}' }")).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('${env:OTHER} is missing') as unknown,
    });
  });
});

test('a second source of one id is a fault at its own line', async () => {
  const lines = ['a', 'b', 'a'].map((id) => `  - { id: ${id}, kind: logfile, path: /var/log/x }`);
  const path = await fileWith(['sources:', ...lines].join('\n'));
  expect(() => readSourcesFile(path)).toThrow(/:4.* "a" is the id of another source already/);
});

test('shows the tools of an MCP server with the digests that approve them', async () => {
  const command = JSON.stringify(MCP_COMMAND);
  const path = await fileWith(`sources: [{ id: every, kind: mcp, command: ${command} }]`);
  const [server] = readSourcesFile(path);
  const state = server && (await checkSource(server, reach, live));
  expect(state).toMatchObject({ id: 'every', kind: 'mcp', endpoint: '', state: 'ok', detail: '' });
  expect(state?.tools).toContainEqual({
    name: 'echo',
    definition: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown,
    description: expect.stringMatching(/./) as unknown,
    arguments: ['message'],
  });
});

test.each([
  ['neither', '{ id: a, kind: mcp }'],
  ['both', "{ id: a, kind: mcp, endpoint: 'http://a', command: [x] }"],
])('an MCP server with %s a command and an endpoint is a fault', async (_, text) => {
  const path = await fileWith(`sources: [${text}]`);
  expect(() => readSourcesFile(path)).toThrow('an endpoint or a command, and not both');
});

describe('liveSources', () => {
  const node = { id: 'api', name: 'API', kind: 'service', dependsOn: [], attributes: {} };
  const source = { id: 'prom', kind: 'prometheus' as const, provides: ['metrics' as const] };
  const at = Date.parse('2026-01-02T12:00:00Z');

  test('looks at the last hour, and at the same hour of the day before', () => {
    const set = liveSources({ nodes: [node], sources: [] }, [], { ...reach, now: at });
    expect(set.frame).toEqual({
      start: at - 3_600_000,
      now: at,
      baseline: { from: at - 90_000_000, to: at - 86_400_000 },
    });
    expect(set.logs.records({ window: { from: 0, to: at } }, live)).toMatchObject({
      kind: 'not_recorded',
    });
  });

  test('reads logs from a listed Loki, as its tenant, and pods of nodes that it does not have', async () => {
    const loki = await startLokiReplay([
      { at, severity: 'ERROR', body: 'broken', labels: { service: 'api' } },
    ]);
    const path = await fileWith(`sources:
  - { id: logs, kind: loki, endpoint: '${loki.url}', tenant: team, auth: { bearer: '\${env:PROM_TOKEN}' } }
  - { id: k8s, kind: kubernetes, endpoint: 'https://127.0.0.1:1', namespaces: [shop] }
`);
    const nodes = [
      { ...node, in: { logs: '{service="api"}', k8s: 'deployment/api' } },
      { ...node, id: 'web', in: { k8s: 'deployment/web' } },
    ];
    const sources = [
      { id: 'logs', kind: 'loki' as const, provides: ['logs' as const] },
      { id: 'k8s', kind: 'kubernetes' as const, provides: ['logs' as const] },
    ];
    const { logs } = liveSources({ nodes, sources }, readSourcesFile(path), { ...reach, now: at });
    const seen: string[] = [];
    const answer = logs.records({ window: { from: 0, to: at } }, live);
    const reading = (async () => {
      if (answer.kind === 'records')
        for await (const { node: of = '', body } of answer.records) seen.push(`${of}: ${body}`);
    })();
    await expect(reading).rejects.toMatchObject({ nodes: new Map([['web', expect.any(Error)]]) });
    expect(seen).toEqual(['api: broken']);
    expect(loki.asked[0]?.headers).toMatchObject({
      'x-scope-orgid': 'team',
      authorization: `Bearer ${TOKEN}`,
    });
    await loki.close();
  });

  test('leaves only the nodes unread whose source is not listed', async () => {
    replay = await startPrometheusReplay([]);
    const path = await fileWith(
      `sources: [{ id: prom, kind: prometheus, endpoint: '${replay.url}' }]`,
    );
    const listed = readSourcesFile(path);
    const kinds = ['prometheus', 'loki', 'kubernetes', 'git', 'journald', 'tempo'] as const;
    const wrong = kinds.map((kind) => ({ id: `${kind}-2`, kind, provides: [] }));
    const nodes = [
      { ...node, in: { prom: 'job="api"' } },
      ...wrong.map(({ id }) => ({ ...node, id, in: { [id]: 'x' } })),
    ];
    const sources = [source, ...wrong];
    const set = liveSources({ nodes, sources }, listed, { ...reach, now: at });
    const { failed } = await observe(set, nodes, live);
    const unread = [...failed].flatMap(([telemetry, error]) =>
      error instanceof UnreadNodesError
        ? [...error.nodes].map(([id, { message }]) => `${id}: ${telemetry}: ${message}`)
        : [error.message],
    );
    expect(unread.toSorted()).toEqual([
      'git-2: changes: SOURCES_FILE lists no git source "git-2", and no other one of this kind',
      'journald-2: logs: SOURCES_FILE lists no journald source "journald-2", and no other one of this kind',
      'kubernetes-2: kubernetes: SOURCES_FILE lists no kubernetes source "kubernetes-2", and no other one of this kind',
      'loki-2: logs: SOURCES_FILE lists no loki source "loki-2", and no other one of this kind',
      'prometheus-2: metrics: SOURCES_FILE lists no prometheus source "prometheus-2": allowed: prom',
      'tempo-2: traces: SOURCES_FILE lists no tempo source "tempo-2", and no other one of this kind',
    ]);
  });

  test('gives an endpoint of the topology no credential of the file', async () => {
    replay = await startPrometheusReplay([]);
    const listed = readSourcesFile(
      await listing('http://other:1', "{ bearer: '${env:PROM_TOKEN}' }"),
    );
    const nodes = [{ ...node, in: { prom: 'job="api"' } }];
    const sources = [{ ...source, endpoint: replay.url }];
    const { metrics } = liveSources({ nodes, sources }, listed, { ...reach, now: at });
    const answer = metrics.series({ window: { from: 0, to: at } }, live);
    if (answer.kind === 'records') for await (const each of answer.records) void each;
    expect(replay.asked).toHaveLength(2);
    expect(replay.asked.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  });
});
