import { createServer as createTlsServer } from 'node:https';
import { request } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import type { EventData } from '../../../src/domain/events/event.js';
import type { Report } from '../../../src/domain/diagnosis/finding.js';
import { startPrivateRedis } from '../../../src/local/private-redis.js';
import type { Api } from '../../support/api.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { closedPort, testCertificate } from '../../support/loopback.js';
import { Scene } from '../../support/scene.js';
import {
  erroring,
  healthy,
  httpTarget,
  silent,
  slow,
  type Behaviour,
} from '../../support/processes/target.js';
import { topologyOf, type NodeSketch } from '../../support/incidents/topology.js';

// The diagnosis by probes of small systems of real servers. docs/quality.md has the list.

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

const target = (behaviour: Behaviour) => httpTarget(scene.targets, behaviour);

/** A service that answers so. */
const answers =
  (status: number, body: string): Behaviour =>
  (response) =>
    void response.writeHead(status).end(body);

/** A service that fails each n-th request, from the first on. */
const failsEach =
  (n: number): Behaviour =>
  (response, hit) =>
    void response.writeHead(hit % n === 1 ? 500 : 200).end('so it is');

/**
 * A gateway as nginx is one: passes requests on, answers 502 if it cannot connect and 504 if the
 * answer takes too long.
 */
const gateway =
  (upstream: string, timeoutMs = 5_000): Behaviour =>
  (response) => {
    const fail = (status: number) => void response.writeHead(status).end();
    const asked = request(upstream, { agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500);
      answer.pipe(response);
    });
    asked.setTimeout(timeoutMs, () => asked.destroy(new Error('late')));
    asked.on('error', ({ message }) => fail(message === 'late' ? 504 : 502));
    asked.end();
  };

/** A gateway in front of a service, which it depends on. */
const before = async (id: string, upstream: string, timeoutMs?: number): Promise<NodeSketch> => ({
  ...(await target(gateway(upstream, timeoutMs))),
  dependsOn: [id],
});

interface Diagnosis extends Required<Report> {
  roots: string[];
  state: Record<string, string>;
}

/** Repeats a diagnosis in which this process was too busy to measure durations. */
async function diagnose(nodes: Record<string, NodeSketch>): Promise<Diagnosis> {
  const topology = await api.store(topologyOf(nodes));
  let text: string;
  do {
    ({ text } = await (await api.trigger(topology)).end());
  } while (text.includes('not reliable: the prober waited'));
  const events = expectValid(text);
  const last = events.at(-1);
  expect(last?.key).toBe('lifecycle.completed');
  const report = (last?.data as unknown as EventData['lifecycle.completed'])
    .report as Required<Report>;
  return {
    ...report,
    roots: report.root_causes.map(({ node }) => node),
    state: Object.fromEntries(report.nodes.map(({ node, state }) => [node, state])),
  };
}

describe('a gateway', () => {
  test('whose upstream is dead is downstream of it', async () => {
    const dead = `http://127.0.0.1:${await closedPort()}/`;
    const { roots, state } = await diagnose({
      edge: await before('backend', dead),
      backend: { endpoint: dead },
    });
    expect(roots).toEqual(['backend']);
    expect(state).toEqual({ edge: 'downstream', backend: 'failed' });
  });

  test('with a wrong upstream port cannot reach a backend that is well', async () => {
    const { roots, state, headline } = await diagnose({
      edge: await before('backend', `http://127.0.0.1:${await closedPort()}/`),
      backend: await target(healthy),
    });
    expect(roots).toEqual(['edge']);
    expect(state).toEqual({ edge: 'failed', backend: 'healthy' });
    expect(headline).toMatch(/answers 502 .*cannot reach The backend, which is healthy: check/);
  });

  test('that times out is downstream of the slow report that it waits for', async () => {
    const { endpoint } = await target(slow(600));
    const { roots, headline } = await diagnose({
      edge: await before('report', endpoint, 200),
      report: { endpoint, attributes: { slowMs: 300 } },
    });
    expect(roots).toEqual(['report']);
    expect(headline).toMatch(/answers in \d+ ms, slower than 300 ms/);
  });

  test('in front of a worker that hangs is downstream of it', async () => {
    const { endpoint } = await target(silent);
    const { root_causes: causes } = await diagnose({
      edge: await before('worker', endpoint, 200),
      worker: { endpoint, attributes: { timeoutMs: 400 } },
    });
    expect(causes).toMatchObject([{ node: 'worker', kind: 'timeout', chain: ['edge', 'worker'] }]);
  });

  test('over healthy services is healthy', async () => {
    const shop = await target(healthy);
    const report = await diagnose({ edge: await before('shop', shop.endpoint), shop });
    expect(report).toMatchObject({ verdict: 'healthy', findings: [], roots: [] });
    expect(report.headline).toMatch(/all 2 nodes were measured, and nothing is wrong with them\.$/);
  });
});

describe('a dependency', () => {
  test('that limits its rate is the cause', async () => {
    const { root_causes: causes } = await diagnose({
      shop: { ...(await target(answers(502, 'no rates today'))), dependsOn: ['rates'] },
      rates: await target(answers(429, 'slow down')),
    });
    expect(causes).toMatchObject([{ node: 'rates', kind: 'rate-limited' }]);
  });

  test('that is slow two levels down is the cause', async () => {
    const attributes = { slowMs: 200 };
    const { endpoint } = await target(slow(400));
    const middle = await before('bottom', endpoint);
    const { root_causes: causes } = await diagnose({
      top: { ...(await before('middle', middle.endpoint ?? '')), attributes },
      middle: { ...middle, attributes },
      bottom: { endpoint, attributes },
    });
    expect(causes).toMatchObject([{ node: 'bottom', chain: ['top', 'middle', 'bottom'] }]);
  });

  test.each([2, 5])('that fails one request in %d is seen to', async (n) => {
    const { roots, findings } = await diagnose({ flaky: await target(failsEach(n)) });
    expect(roots).toEqual(['flaky']);
    expect(findings[0]?.title).toBe('fails now and then: answers 500 Internal Server Error');
    expect(findings[0]?.detail).toContain(`${10 / n} of 10 tries failed`);
  });

  test('that is a full Redis, and an expired certificate, are two causes', async () => {
    const redis = await startPrivateRedis();
    const client = new Redis(redis.url);
    try {
      await client.config('SET', 'maxmemory', '4mb', 'maxmemory-policy', 'noeviction');
      const write = (i: number) => client.set(`${i}`, 'x'.repeat(8_192));
      const writes = await Promise.allSettled(Array.from({ length: 500 }, (_, i) => write(i)));
      expect(writes.at(-1)).toMatchObject({ status: 'rejected' });
      const edge = createTlsServer(testCertificate('expired'), (_, answer) => void answer.end());
      const port = await scene.targets.open(edge);
      const { root_causes: causes, state } = await diagnose({
        edge: { endpoint: `https://localhost:${port}/`, attributes: { trustSelfSigned: true } },
        payments: { ...(await target(erroring)), dependsOn: ['store'] },
        store: { kind: 'redis', endpoint: redis.url },
      });
      expect(causes.map(({ node, kind }) => [node, kind])).toEqual([
        ['store', 'out-of-memory'],
        ['edge', 'certificate-expired'],
      ]);
      expect(state['payments']).toBe('downstream');
    } finally {
      client.disconnect();
      await redis.stop();
    }
  });
});

describe('a database whose port accepts while it takes no more connections', () => {
  const full = (port: number) =>
    `connection to server at "127.0.0.1", port ${port} failed: FATAL:  remaining connection slots are reserved`;

  test.each([
    ['tcp', 'healthy', /only measured that it answers, not that it works/],
    ['mainframe-db', 'unknown', /not checked/],
  ])('is named and not excluded: kind %s', async (kind, expected, doubt) => {
    const port = await scene.targets.open(createTcpServer());
    const orders = await target(answers(500, JSON.stringify({ error: full(port) })));
    const { root_causes: causes, ...report } = await diagnose({
      shop: await before('orders', orders.endpoint),
      orders: { ...orders, dependsOn: ['db'] },
      db: { kind, endpoint: `127.0.0.1:${port}` },
    });
    expect(causes).toMatchObject([{ node: 'orders', kind: 'connection-pool-exhausted' }]);
    expect(causes[0]?.confidence).toBeLessThan(0.8);
    expect(causes[0]?.not_excluded).toMatchObject([{ node: 'db' }]);
    expect(causes[0]?.not_excluded?.[0]?.reason).toMatch(doubt);
    expect(report.headline).toContain('The orders reports that The db has no free connections');
    expect(report.candidates.slice(0, 2).map(({ node }) => node)).toEqual(['orders', 'db']);
    expect(report.next_steps[0]).toMatchObject({ node: 'db', access: 'read' });
    expect(report.state['db']).toBe(expected);
    if (kind !== 'tcp')
      expect(report.unchecked).toMatchObject([
        {
          node: 'db',
          reason: 'NO_TOOL',
          detail: 'No tool measures nodes of kind mainframe-db.',
        },
      ]);
  });
});

describe('an answer that a probe could take for another', () => {
  test('200 with a health body that says DOWN is a failure', async () => {
    const body = { status: 'DOWN', components: { db: { status: 'DOWN' }, disk: { status: 'UP' } } };
    const { headline } = await diagnose({ shop: await target(answers(200, JSON.stringify(body))) });
    expect(headline).toContain('The shop is the root cause: answers 200, but says it is DOWN: db.');
  });

  test('metrics without thresholds are not judged, and the report says so', async () => {
    let scrapes = 0;
    const { endpoint } = await target((response) => {
      scrapes += 1;
      response.end(`queue_depth ${scrapes * 500}\nerrors_total ${scrapes * 3}\n`);
    });
    const { headline, findings } = await diagnose({
      shop: await target(healthy),
      metrics: { kind: 'prometheus', endpoint, attributes: { intervalMs: 100 } },
    });
    expect(headline).toContain('Of The metrics it was only measured that it answers, not that it');
    expect(findings).toMatchObject([
      { node: 'metrics', title: 'no thresholds: its metrics were read, and nothing was judged' },
    ]);
  });

  test('401 to a probe without credentials is no failure: those of its caller are looked at', async () => {
    const { root_causes: causes, headline } = await diagnose({
      sync: { ...(await target(answers(502, 'crm answered 401'))), dependsOn: ['crm'] },
      crm: await target(answers(401, 'who are you?')),
    });
    expect(causes).toMatchObject([{ node: 'sync', kind: 'auth', not_excluded: [{ node: 'crm' }] }]);
    expect(headline).toContain(
      'The crm can be reached and demands credentials: look at those that',
    );
  });
});

describe('slowness', () => {
  test('is not explained by a dependency that fails at once: a diamond has two causes', async () => {
    const bottom = await target(erroring);
    const left = await before('bottom', bottom.endpoint);
    const right = await target(async (response) => {
      await sleep(1_000);
      response.writeHead(502).end();
    });
    const { root_causes: causes } = await diagnose({
      top: { ...(await before('left', left.endpoint ?? '')), dependsOn: ['left', 'right'] },
      left,
      right: { endpoint: right.endpoint, dependsOn: ['bottom'], attributes: { slowMs: 500 } },
      bottom,
    });
    expect(causes).toMatchObject([
      { node: 'bottom', kind: 'exception' },
      { node: 'right', kind: 'latency' },
    ]);
  });

  test('is not explained by a dependency whose name does not resolve', async () => {
    const web = await target(slow(1_000));
    const { root_causes: causes, findings } = await diagnose({
      web: { ...web, dependsOn: ['catalogue'], attributes: { slowMs: 500 } },
      catalogue: { endpoint: 'http://catalogue.invalid:8080/' },
    });
    expect(causes.map(({ node, kind }) => [node, kind])).toEqual([
      ['catalogue', 'dns'],
      ['web', 'latency'],
    ]);
    expect(findings.find(({ node }) => node === 'web')?.detail).not.toContain('Downstream');
  });
});
