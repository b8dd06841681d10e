import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { RunRecord } from '../../src/client/index.js';
import { startCommandWith } from '../support/command.js';
import { startPrometheusReplay, type PrometheusReplay } from '../support/prometheus-replay.js';

// Starts a service for each diagnosis.
jest.setTimeout(120_000);

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

async function diagnose(...args: string[]) {
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
  return startCommandWith(variables, 'src/cli/diagnose.ts', file, ...args).ended;
}

test('a diagnosis reads live metrics of its nodes, and says of which there are none', async () => {
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
