import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import type { RunRecord } from '../../../src/client/index.js';
import { startCommand, startCommandWith } from '../../support/processes/command.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import {
  startPrometheusReplay,
  type PrometheusReplay,
} from '../../support/sources/prometheus-replay.js';

const TOKEN = 'tok-9f8e7d6c5b';
const MINUTE = 60_000;

let folder = '';
let prometheus: PrometheusReplay;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-sources-'));
  prometheus = await startPrometheusReplay([p99Of('api'), p99Of('other')]);
});
afterAll(async () => {
  await prometheus.close();
  await rm(folder, { recursive: true });
});

/** A day of a latency that is steady, and nine times as high in the last ten minutes. */
function p99Of(job: string) {
  const now = Date.now();
  const times = Array.from({ length: 26 * 60 }, (_, i) => now - (26 * 60 - i) * MINUTE);
  const values = times.map((at, i) => (at > now - 10 * MINUTE ? 900 : 100 + (i % 7)));
  return { name: 'http_p99_ms', labels: { job }, times, values };
}

async function command(source: string, ...args: string[]) {
  const file = join(folder, 'shop.json');
  const nodes = [
    { id: 'api', name: 'API', kind: 'workload', in: { prom: 'job="api"' } },
    { id: 'mail', name: 'Mail', kind: 'workload', in: { prom: 'job="mail"' } },
  ];
  const sources = [{ id: 'prom', kind: 'prometheus' }];
  await writeFile(file, JSON.stringify({ id: 1, name: 'Shop', nodes, sources }));
  const listed = join(folder, 'sources.yaml');
  await writeFile(
    listed,
    `sources:\n  - { id: prom, kind: prometheus, endpoint: '${prometheus.url}', auth: { bearer: '\${env:PROM_TOKEN}' } }\n`,
  );
  const variables = { SOURCES_FILE: listed, PROM_TOKEN: TOKEN, LOG_LEVEL: 'trace' };
  return startCommandWith(variables, source, file, ...args).ended;
}

/**
 * A service whose SOURCES_FILE lists the server, with a topology that has a probed node with
 * metrics.
 */
async function serviceScene() {
  const scene = new Scene();
  const listed = join(folder, 'listed.yaml');
  await writeFile(
    listed,
    `sources:\n  - { id: prom, kind: prometheus, endpoint: '${prometheus.url}', auth: { bearer: '\${env:PROM_TOKEN}' } }\n`,
  );
  const api = await scene.service({ SOURCES_FILE: listed, PROM_TOKEN: TOKEN });
  const shop = topologyOf({ api: await httpTarget(scene.targets, healthy) });
  const nodes = shop.nodes.map((node) => ({ ...node, in: { prom: 'job="none"' } }));
  const topology = { ...shop, nodes, sources: [{ id: 'prom', kind: 'prometheus' }] };
  return { scene, api, topologyId: await api.store(topology) };
}

test.each([
  ['ok', 200, '{"status":"success","data":{"resultType":"scalar","result":[0,"1"]}}', ''],
  ['refused', 403, '{}', 'no right to read (status 403)'],
  ['failed', 200, '<html>', 'no JSON'],
])('GET /sources shows a server as %s', async (state, status, body, detail) => {
  const { scene, api } = await serviceScene();
  prometheus.answerNext(status, body);
  const answer = await api.ask<{ items: object[] }>('GET', '/sources');
  await scene.close();
  expect(answer.status).toBe(200);
  expect(answer.data.items).toEqual([
    {
      id: 'prom',
      kind: 'prometheus',
      endpoint: prometheus.url,
      state,
      detail: expect.stringContaining(detail) as unknown,
    },
  ]);
  expect(answer.text).not.toContain(TOKEN);
});

test('a source that refuses the credential leaves a node unchecked that a probe found well', async () => {
  const { scene, api, topologyId } = await serviceScene();
  prometheus.refuse(403);
  const events = expectValid((await (await api.trigger(topologyId)).end()).text);
  prometheus.refuse(undefined);
  await scene.close();
  const denied = events.filter(
    ({ key, data }) => key === 'llm.tool_result' && data['tool'] === 'metrics_compare',
  );
  expect(denied[0]?.data).toMatchObject({ status: 'denied', result: { code: 'FORBIDDEN' } });
  expect(events.at(-1)?.data['report']).toMatchObject({
    verdict: 'inconclusive',
    unchecked: [{ node: 'api', reason: 'FORBIDDEN' }],
  });
});

const diagnose = (...args: string[]) => command('src/cli/diagnose.ts', ...args);

test('a diagnosis reads live metrics of its nodes, and names those without any', async () => {
  const { stdout, stderr } = await diagnose('--json');
  const { report } = JSON.parse(stdout) as RunRecord;
  const titles = report?.findings.map(({ node, title }) => `${node}: ${title}`) ?? [];
  expect(titles).toContainEqual(expect.stringMatching(/^api: http_p99_ms went from 10\d to 900/));
  expect(report?.unchecked.map(({ node }) => node)).toContain('mail');
  expect(report?.verdict).not.toBe('healthy');
  expect(prometheus.asked.every(({ authorization }) => authorization === `Bearer ${TOKEN}`)).toBe(
    true,
  );
  expect(stdout + stderr).not.toContain(TOKEN);
});

test('the credential is in nothing that a diagnosis prints or logs', async () => {
  const { stdout, stderr } = await diagnose();
  expect(stdout).toContain('metrics_compare');
  expect(stdout + stderr).not.toContain(TOKEN);
});

test('a captured diagnosis of live metrics gives an equal conclusion when it is replayed', async () => {
  const bundle = join(folder, 'api-slow');
  const { report: live } = JSON.parse(
    (await diagnose('--json', '--capture', bundle)).stdout,
  ) as RunRecord;
  const replay = await startCommand('src/cli/diagnose.ts', bundle, '--json').ended;
  const { report: replayed } = JSON.parse(replay.stdout) as RunRecord;
  const inShort = (report: Report | null) => ({
    verdict: report?.verdict,
    causes: report?.root_causes.map(({ node, title }) => [node, title]),
    findings: report?.findings.map(({ node, severity, title }) => [node, severity, title]).sort(),
    unchecked: report?.unchecked.map(({ node, reason }) => [node, reason]),
  });
  expect(inShort(replayed)).toEqual(inShort(live));
  const lines = await readFile(join(bundle, 'metrics/prometheus.ndjson'), 'utf8');
  expect(lines).toContain('"service.name":"api"');
  expect(lines).not.toContain(TOKEN);
});

test('consilium capture records a window of live metrics', async () => {
  const bundle = join(folder, 'window');
  const { code, stdout, stderr } = await command('src/cli/capture.ts', bundle, '--from', '30m');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('2 series captured');
  const incident = await readFile(join(bundle, 'incident.yaml'), 'utf8');
  expect(incident).toMatch(/start: .*\nnow: .*\nbaseline:/);
});
