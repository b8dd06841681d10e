import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import {
  startPrometheusReplay,
  type PrometheusReplay,
} from '../../test/support/prometheus-replay.js';
import { anyEgress as egress } from '../../test/support/any-egress.js';
import { Sources } from './sources.js';

const live = new AbortController().signal;

let replay: PrometheusReplay | undefined;
afterEach(async () => {
  await replay?.close();
  replay = undefined;
});

async function sourcesOf(text: string): Promise<Sources> {
  const sourcesFile = join(await mkdtemp(join(tmpdir(), 'sources-')), 'sources.yaml');
  await writeFile(sourcesFile, text);
  return new Sources({ incidentsDir: undefined, sourcesFile, secretOf: () => undefined });
}

test('asks the servers at most once in 30 seconds', async () => {
  replay = await startPrometheusReplay([]);
  const sources = await sourcesOf(
    `sources: [{ id: prom, kind: prometheus, endpoint: '${replay.url}' }]`,
  );
  const at = (seconds: number) => sources.check(egress, live, seconds * 1_000);
  const [first, second] = await Promise.all([at(100), at(101)]);
  expect(first).toEqual([
    { id: 'prom', kind: 'prometheus', endpoint: replay.url, state: 'ok', detail: '' },
  ]);
  expect(second).toBe(first);
  await at(129);
  expect(replay.asked).toHaveLength(1);
  await at(130);
  expect(replay.asked).toHaveLength(2);
});

test('does not start with a file that has faults', async () => {
  await expect(sourcesOf('sources: [')).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
});
