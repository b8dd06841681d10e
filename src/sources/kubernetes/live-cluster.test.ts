import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { afterEach, expect, test } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { Loopback, testCa, testCertificate } from '../../../test/support/loopback.js';
import { LiveCluster } from './live-cluster.js';

const targets = new Loopback();
afterEach(() => targets.close());

const reach = {
  egress: anyEgress,
  secretOf: testCa,
};
const live = new AbortController().signal;

/** A cluster whose API server answers so. */
async function clusterOf(listener: RequestListener, readingMs?: number) {
  const port = await targets.open(createServer(testCertificate('valid'), listener));
  const listed = {
    id: 'k8s',
    kind: 'kubernetes' as const,
    namespaces: ['shop'],
    endpoint: `https://127.0.0.1:${port}`,
    ca: '${env:CA}',
  };
  return new LiveCluster(listed, reach, new Map(), readingMs);
}

const emptyPage = (more: boolean) =>
  JSON.stringify({ groups: [], items: [], metadata: more ? { continue: 'more' } : {} });

test('a list of empty pages without end is left off, and the reading says so', async () => {
  let requests = 0;
  const cluster = await clusterOf((_, response) => {
    requests += 1;
    response.end(emptyPage(requests < 1_000));
  });
  expect(await cluster.read(live)).toMatchObject({ objects: [], incomplete: true });
  expect(requests).toBeLessThan(200);
});

test('a reading has a limit of time', async () => {
  const cluster = await clusterOf(() => undefined, 50);
  await expect(cluster.read(live)).rejects.toMatchObject({
    failure: 'unreachable',
    message: expect.stringContaining('not read within 50 ms') as unknown,
  });
});

test('a server that let a reading wait is not asked again', async () => {
  const cluster = await clusterOf(() => undefined, 50);
  const first = await cluster.read(live).catch((error: unknown) => error);
  expect(first).toMatchObject({ failure: 'unreachable' });
  await expect(cluster.read(live)).rejects.toBe(first);
});

test('a reading goes on for others although one of them does not wait for it', async () => {
  const cluster = await clusterOf((_, response) => response.end(emptyPage(false)));
  const stop = new AbortController();
  const stopped = cluster.read(stop.signal);
  const other = cluster.read(live);
  stop.abort(new Error('enough'));
  await expect(stopped).rejects.toThrow('enough');
  expect(await other).toMatchObject({ objects: [], incomplete: false });
});

test('a reading that failed is tried again', async () => {
  let isBroken = true;
  const cluster = await clusterOf((_, response) => {
    response.statusCode = isBroken ? 500 : 200;
    response.end(emptyPage(false));
  });
  await expect(cluster.read(live)).rejects.toMatchObject({ failure: 'failed' });
  isBroken = false;
  expect(await cluster.read(live)).toMatchObject({ objects: [], incomplete: false });
});
