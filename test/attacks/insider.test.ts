import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hostilePostgres, pgMessage, signedIn } from '../support/hostile/hostile-postgres.js';
import { processorMs } from '../support/processes/processor-time.js';
import { topologyOf } from '../support/incidents/topology.js';
import { AttackScene, WAYS } from './attack-scene.js';

/**
 * Processor time that an attack may cost, the test included: before there were bounds, it was 5 s
 * and more.
 */
const MOST_MS = 4_000;

const run = { topologyId: 1, userMessage: 'x' };
const repeated = (count: number, make: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

describe.each(WAYS)('an insider of AUTH=%s', (way) => {
  let scene: AttackScene;
  beforeAll(async () => void (scene = await AttackScene.open(way)));
  afterAll(() => scene.close());

  describe('an endpoint', () => {
    it.each([
      'http://169.254.169.254/latest/meta-data',
      'http://2852039166/',
      'http://0xa9fea9fe/',
      'http://0251.0376.0251.0376/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://[::ffff:169.254.169.254]/',
      'http://[::169.254.169.254]/',
      'http://[64:ff9b::a9fe:a9fe]/',
      'http://[2002:a9fe:a9fe::1]/',
      'http://100.100.100.200/',
      'http://168.63.129.16/',
      'http://0.0.0.0/',
      'http://[::]/',
      'http://224.0.0.1/',
      'http://255.255.255.255/',
      'http://metadata.google.internal/',
      'http://METADATA.google.internal./',
      'file:///etc/passwd',
      'gopher://127.0.0.1:1/x',
      'http://127.0.0.1:1/\r\nX: y',
      'http://a b/',
    ])('%s is not stored', async (endpoint) => {
      const { status, said } = await scene.post('/topologies', topologyOf({ shop: { endpoint } }));
      expect([status, said]).toEqual([400, said]);
      expect(said).toContain('nodes[0].endpoint');
    });

    it('that is the Redis of the service is not connected to', async () => {
      const { host } = new URL(scene.scene.redis.url);
      for (const name of [host, host.replace('127.0.0.1', 'localhost')]) {
        const shop = { endpoint: `redis://${name}`, kind: 'redis' };
        const { log } = await scene.diagnose({ shop });
        expect(log).toContain('EGRESS_DENIED');
        expect(log).not.toContain('redis_version');
      }
    });

    it.each([
      ['redis://:x%0d%0aset%20a%201@127.0.0.1:1', 'redis'],
      ['redis://:x%00@127.0.0.1:1', 'redis'],
      ['http://u:%0d%0aX@127.0.0.1:1/', 'service'],
    ])('with lines of its own is not stored: %s', async (endpoint, kind) => {
      const { status } = await scene.post('/topologies', topologyOf({ shop: { endpoint, kind } }));
      expect(status).toBe(400);
    });
  });

  describe('a page of another site', () => {
    const own = () => new URL(scene.api.url).host;

    it.each([
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.example:3000',
      '0.0.0.0',
    ])('does not reach the service as %s', async (host) => {
      const headers = { ...scene.insider, host };
      expect((await scene.ask('/api/service/v1/topologies', { headers })).status).toBe(421);
    });

    it.each([
      ['two hosts', `Host: HOST\r\nHost: evil.example`],
      ['no host', 'X: y'],
    ])('does not with %s', async (_, lines) => {
      const head = `GET /api/service/v1/topologies HTTP/1.1\r\n${lines.replace('HOST', own())}\r\nConnection: close\r\n\r\n`;
      expect(await scene.raw(head)).toMatch(/^HTTP\/1\.1 400 /);
    });

    it.each<Record<string, string>>([
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ])('changes nothing with %j', async (headers) => {
      for (const path of [
        '/api/oracle/cancel',
        '/api/settings/agent-config/reset',
        '/auth/session',
      ]) {
        const sent = { method: 'POST', headers: { ...scene.insider, ...headers } };
        expect([path, (await scene.ask(path, sent)).status]).toEqual([path, 403]);
      }
    });

    it('reads nothing: no origin is allowed, and answers are neither sniffed nor kept', async () => {
      const headers = { ...scene.insider, origin: 'https://evil.example' };
      const answer = await scene.ask('/api/service/v1/topologies', { headers });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      expect(answer.headers['cache-control']).toMatch(/no-store|no-cache/);
    });
  });

  describe('H1, M6: a body', () => {
    it.each([
      ['80,000 keys', `{${repeated(80_000, (i) => `"k${i}":1,`)}"z":1}`],
      ['deep arrays', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
      ['deep objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
      ['a prototype', '{"__proto__":{"topologyId":1},"constructor":{"prototype":{"x":1}}}'],
      ['numbers beyond all bounds', '{"topologyId":1e999,"userMessage":"x"}'],
      ['half of a surrogate pair', '{"topologyId":1,"userMessage":"\\ud800"}'],
      ['no JSON', '{"topologyId":1,'],
    ])('of %s is refused, and others are answered meanwhile', async (_, body) => {
      const before = processorMs();
      const attacks = [
        scene.post('/executions/trigger', body),
        scene.post('/executions/cancel', body),
        scene.post('/topologies', body),
      ];
      expect(await scene.isAlive()).toBe(true);
      for (const { status, said } of await Promise.all(attacks)) {
        expect([400, 404, 413]).toContain(status);
        expect(said).not.toMatch(/\bat .*\.(js|ts):\d+|node_modules|\/src\//);
      }
      expect(processorMs() - before).toBeLessThan(MOST_MS);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'text/json',
    ])('of type %s is refused', async (type) => {
      const { status } = await scene.post('/executions/trigger', run, { 'content-type': type });
      expect(status).toBe(415);
    });
  });

  describe('a target', () => {
    const pgEndless = Buffer.concat(Array<Buffer>(500).fill(pgMessage('N', Buffer.from('Mx\0\0'))));
    const stuck = repeated(60, () => '*30000000\r\n');

    it.each([
      ['redis', 'an empty push', '>1\r\n_\r\n'],
      ['redis', 'lists within lists', stuck],
      ['redis', 'a string without an end', '$4000000000\r\n'],
      ['redis', 'a length below zero', '*-5\r\n$-9\r\n'],
      ['service', 'a status line alone', 'HTTP/1.1 200 OK\r\n'],
      [
        'service',
        'a chunk of all sizes',
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffff\r\n',
      ],
    ])('that is a %s and answers %s ends no process', async (kind, _, answer) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.write(answer);
        socket.end();
      });
      const port = await scene.scene.targets.open(server);
      const endpoint = kind === 'redis' ? `redis://127.0.0.1:${port}` : `http://127.0.0.1:${port}/`;
      expect((await scene.diagnose({ shop: { endpoint, kind } })).status).toMatch(
        /completed|failed/,
      );
      expect(await scene.isAlive()).toBe(true);
    });

    it.each<[string, Parameters<typeof hostilePostgres>[0]]>([
      ['a frame of two gigabytes', { greeting: Buffer.from('527fffffff', 'hex') }],
      [
        'a row of 1,000 columns without any',
        { greeting: signedIn, answer: Buffer.from('440000000603e8', 'hex') },
      ],
      ['notices without end', { greeting: signedIn, answer: pgEndless, endless: true }],
      [
        'an SQLSTATE that blames the prober',
        { greeting: pgMessage('E', Buffer.from('SFATAL\0CEMFILE\0M\u001b[2Jx\0\0')) },
      ],
    ])('that is a PostgreSQL and answers %s ends no process', async (_, bytes) => {
      const port = await scene.scene.targets.open(hostilePostgres(bytes).server);
      const endpoint = `postgres://127.0.0.1:${port}/shop`;
      const before = processorMs();
      const { status, log } = await scene.diagnose({ db: { endpoint, kind: 'postgres' } });
      expect(status).toBe('completed');
      expect(log).toContain('NOT_POSTGRES');
      expect(log).not.toContain('\\u001b');
      expect(processorMs() - before).toBeLessThan(MOST_MS);
      expect(await scene.isAlive()).toBe(true);
    });

    it('whose metrics are made of spaces delays no other request', async () => {
      const server = createHttpServer((_request, response) =>
        response.end(`# TYPE a gauge\na{${' '.repeat(200_000)}x\n`),
      );
      const endpoint = `http://127.0.0.1:${await scene.scene.targets.open(server)}/`;
      const before = processorMs();
      const { status } = await scene.diagnose({
        shop: { endpoint, attributes: { metricsPath: '/' } },
      });
      expect(status).toBe('completed');
      expect(processorMs() - before).toBeLessThan(MOST_MS);
    });

    it('that leads elsewhere is not followed there', async () => {
      const seen: string[] = [];
      const inner = createHttpServer((request, response) => {
        seen.push(request.url ?? '');
        response.end('internal');
      });
      const to = await scene.scene.targets.open(inner, '127.0.0.2');
      const server = createHttpServer((_request, response) =>
        response.writeHead(302, { location: `http://127.0.0.2:${to}/admin` }).end(),
      );
      const endpoint = `http://127.0.0.1:${await scene.scene.targets.open(server)}/`;
      expect((await scene.diagnose({ shop: { endpoint } })).status).toBe('completed');
      expect(seen).toEqual([]);
    });
  });

  it('H8: does not read with a password that was redacted', async () => {
    let authorization: string | undefined;
    const server = createHttpServer((request, response) => {
      ({ authorization } = request.headers);
      response.end('the protected page');
    });
    const port = await scene.scene.targets.open(server);
    const topology = topologyOf({ shop: { endpoint: `http://u:hunter22@127.0.0.1:${port}/` } });
    expect((await scene.post('/topologies', topology)).status).toBe(201);
    const path = `/api/service/v1/topologies/${topology.id}`;
    const { said } = await scene.ask(path, { headers: scene.insider });
    expect(said).not.toContain('hunter22');
    const shown = (JSON.parse(said) as { data: { nodes: { attributes: object }[] } }).data;
    const nodes = shown.nodes.map((node) => ({
      ...node,
      attributes: { ...node.attributes, expectBody: 'not there' },
    }));
    const replaced = await scene.ask(path, {
      method: 'PUT',
      headers: { ...scene.insider, 'content-type': 'application/json' },
      body: JSON.stringify({ ...shown, nodes }),
    });
    expect([replaced.status, replaced.said]).toEqual([400, replaced.said]);
    expect(replaced.said).toContain('redacted');
    expect(authorization).toBeUndefined();
  });
});
