import { connect, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { expectSound } from '../../../test/support/expect-sound.js';
import {
  closedPort,
  contextOf,
  Loopback,
  nodeOf,
  testCa,
  testCertificate,
} from '../../../test/support/loopback.js';
import type { JsonObject } from '../../lib/json.js';
import { type PrivateRedis, startPrivateRedis } from '../../local/private-redis.js';
import { judgeRedis } from './redis-judgement.js';
import { redisInspect } from './redis-inspect.js';
import { parseInfo } from './redis-read.js';

const inspect = async (endpoint: string, attributes: JsonObject = {}) =>
  expectSound(
    await redisInspect.run({ node: 'target' }, contextOf(nodeOf('redis', endpoint, attributes))),
  );

test.each([
  ['redis', 'redis://:pw@127.0.0.1:6379/2', true],
  ['redis', 'rediss://cache.example', true],
  ['redis', '[::1]:6379', true],
  ['redis', 'http://127.0.0.1', false],
  ['redis', undefined, false],
  ['tcp', 'redis://127.0.0.1', false],
])('applies to %s %s: %s', (kind, endpoint, expected) => {
  expect(redisInspect.appliesTo(nodeOf(kind, endpoint))).toBe(expected);
});

describe('a real Redis', () => {
  let server: PrivateRedis;
  let client: Redis;
  beforeAll(async () => {
    server = await startPrivateRedis();
    client = new Redis(server.url);
  });
  afterAll(async () => {
    client.disconnect();
    await server.stop();
  });
  beforeEach(async () => {
    await client.config('SET', 'maxmemory', '0', 'maxmemory-policy', 'noeviction');
    await client.flushall();
    await client.config('RESETSTAT');
  });

  test('that is well', async () => {
    const result = await inspect(server.url);
    expect(result).toMatchObject({
      status: 'ok',
      issues: [],
      measurements: {
        role: 'master',
        maxmemory_policy: 'noeviction',
        memory_percent: null,
        oom_errors: 0,
        slowlog_length: expect.any(Number),
      },
    });
    expect(result.summary).toContain('no maxmemory');
  });

  /** Until it refuses. */
  async function fill(): Promise<void> {
    await client.config('SET', 'maxmemory', '4mb');
    for (let i = 0; ; i += 1) {
      try {
        await client.set(`fill:${i}`, 'x'.repeat(4_096));
      } catch {
        return;
      }
    }
  }

  test('full, with nothing to evict: saturated', async () => {
    await fill();
    const result = await inspect(server.url);
    expect(result).toMatchObject({
      status: 'failed',
      issues: [{ severity: 'critical', symptom: 'saturated' }],
      measurements: { oom_errors: 1, errors: { OOM: 1 } },
    });
    expect(result.issues[0]?.title).toMatch(
      /^refuses writes because its memory is full \([\d.]+ % of maxmemory, noeviction\)$/,
    );
  });

  test('refusing writes at this moment is seen by the errors that rise', async () => {
    await fill();
    const writing = setInterval(() => void client.set('one-more', 'x').catch(() => undefined), 10);
    try {
      const result = await inspect(server.url);
      expect(result.measurements['oom_errors_increase']).toBeGreaterThan(0);
      expect(result.issues).toMatchObject([{ symptom: 'saturated' }]);
    } finally {
      clearInterval(writing);
    }
  });

  test('full once and well now: not critical', async () => {
    await fill();
    await client.config('SET', 'maxmemory', '64mb');
    expect(await inspect(server.url)).toMatchObject({
      status: 'ok',
      issues: [],
      measurements: { oom_errors: 1, oom_errors_increase: 0 },
    });
  });

  test('credentials: wrong, missing, needless', async () => {
    const { host } = new URL(server.url);
    expect(await inspect(`redis://:needless@${host}`)).toMatchObject({ status: 'ok' });
    await client.config('SET', 'requirepass', 's3cret-one');
    try {
      expect((await inspect(server.url)).issues).toMatchObject([
        { severity: 'critical', symptom: 'invalid', title: 'wants a password (NOAUTH)' },
      ]);
      const wrong = await inspect(`redis://:wr0ng-one@${host}`);
      expect(wrong.issues).toMatchObject([
        { symptom: 'invalid', title: 'refuses the password (WRONGPASS)' },
      ]);
      expect(JSON.stringify(wrong)).not.toContain('wr0ng-one');
      expect(await inspect(`redis://default:s3cret-one@${host}/3`)).toMatchObject({ status: 'ok' });
      expect((await inspect(`redis://:s3cret-one@${host}/99`)).issues).toMatchObject([
        { title: expect.stringContaining('no such database') as unknown },
      ]);
    } finally {
      await client.config('SET', 'requirepass', '');
    }
  });

  test('a user who may not look', async () => {
    const { host } = new URL(server.url);
    await client.call('ACL', 'SETUSER', 'guest', 'on', '>pw-guest', '+ping');
    expect(await inspect(`redis://guest:pw-guest@${host}`)).toMatchObject({
      status: 'ok',
      issues: [{ severity: 'info', title: 'may not be looked into' }],
    });
  });

  test('all connections in use', async () => {
    await client.config('SET', 'maxclients', '1');
    try {
      expect((await inspect(server.url)).issues).toMatchObject([
        { severity: 'critical', symptom: 'saturated', title: 'all client connections are in use' },
      ]);
    } finally {
      await client.config('SET', 'maxclients', '10000');
    }
  });

  test('behind TLS; and no password for one who cannot prove who it is', async () => {
    const loopback = new Loopback();
    const sent: string[] = [];
    const proxy = createTlsServer(testCertificate('valid'), (socket) => {
      const upstream = connect(server.port, '127.0.0.1');
      socket.on('data', (bytes: Buffer) => sent.push(bytes.toString()));
      socket.on('error', () => undefined).on('close', () => upstream.destroy());
      socket
        .pipe(upstream)
        .on('error', () => undefined)
        .pipe(socket);
    });
    try {
      const url = `rediss://:s3cret-one@localhost:${await loopback.open(proxy)}`;
      const refused = await inspect(url);
      expect(refused.issues).toMatchObject([{ severity: 'critical', symptom: 'invalid' }]);
      expect(refused.summary).toContain('no password sent');
      expect(sent).toEqual([]);
      expect(await inspect(url, { ca: testCa() })).toMatchObject({
        status: 'ok',
        measurements: { role: 'master', certificate: { trusted: true } },
      });
      expect(await loopback.openConnections()).toBe(0);
    } finally {
      await loopback.close();
    }
  });

  test('a command that took long', async () => {
    await client
      .call('DEBUG', 'SLEEP', '0.12')
      .catch(() =>
        client.eval(
          "local t=redis.call('TIME'); repeat local n=redis.call('TIME') until (n[1]-t[1])*1000000+n[2]-t[2] > 120000",
          0,
        ),
      );
    const result = await inspect(server.url, { slowMs: 100 });
    expect(result.issues).toMatchObject([{ severity: 'warning', symptom: 'slow' }]);
    expect(result.measurements['slowlog_slowest_ms']).toBeGreaterThan(100);
    await client.call('SLOWLOG', 'RESET');
  });

  test('leaves no connection behind', async () => {
    await inspect(server.url);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(String(await client.info('clients'))).toContain('connected_clients:1\r\n');
  });
});

describe('what is no Redis', () => {
  const loopback = new Loopback();
  afterEach(() => loopback.close());

  test('nothing, something else, something that hangs or hangs up', async () => {
    expect((await inspect(`redis://127.0.0.1:${await closedPort()}`)).issues).toMatchObject([
      { symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' },
    ]);
    const http = await loopback.open(
      createServer((socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      ),
    );
    expect((await inspect(`redis://127.0.0.1:${http}`)).issues).toMatchObject([
      { symptom: 'erroring', title: 'what answers does not speak the Redis protocol' },
    ]);
    const silent = await loopback.open(createServer((socket) => socket.resume()));
    expect((await inspect(`redis://127.0.0.1:${silent}`, { timeoutMs: 100 })).issues).toMatchObject(
      [{ symptom: 'slow' }],
    );
    const closing = await loopback.open(
      createServer((socket) => socket.once('data', () => socket.destroy())),
    );
    expect((await inspect(`redis://127.0.0.1:${closing}`)).issues).toMatchObject([
      { symptom: 'erroring', title: 'connection closed before the answer was complete' },
    ]);
    expect(await loopback.openConnections()).toBe(0);
  });

  test.each([
    ['C1: a push of RESP3 whose first element is null', '>1\r\n_\r\n'],
    ['C2: nested arrays of 30,000,000 entries', '*30000000\r\n'.repeat(60)],
    ['C2: a string of 4 GB', '$4000000000\r\n'],
    ['a greeting of POP3', '+OK POP3 ready\r\n'],
    ['an error of another protocol', '-ERR unknown command\r\n'],
  ])('survives %s, and sends it no password', async (_, bytes) => {
    const received: string[] = [];
    const hostile = await loopback.open(
      createServer((socket) => {
        socket.on('data', (chunk: Buffer) => received.push(chunk.toString()));
        socket.write(bytes);
      }),
    );
    const result = await inspect(`redis://:s3cret-one@127.0.0.1:${hostile}`);
    expect(result).toMatchObject({ status: 'failed', issues: [{ severity: 'critical' }] });
    expect(received.join('')).not.toContain('s3cret-one');
  });

  test('C2: reads no more than its bound of a string without an end', async () => {
    let written = 0;
    const endless = await loopback.open(
      createServer((socket) => {
        const chunk = Buffer.alloc(65_536, 'x');
        const go = () => {
          while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        };
        socket.on('drain', go).write('$1048576\r\n');
        go();
      }),
    );
    const result = await inspect(`redis://127.0.0.1:${endless}`);
    expect(result.issues).toMatchObject([
      { symptom: 'erroring', title: 'what answers does not speak the Redis protocol' },
    ]);
    expect(written).toBeLessThan(32 * 2 ** 20);
  });

  test('C4: sends nothing to a port whose password holds lines of its own', async () => {
    const received: string[] = [];
    const port = await loopback.open(
      createServer((socket) => socket.on('data', (chunk) => received.push(chunk.toString()))),
    );
    const lines = 'x%0d%0aset%20pwned%200%200%203%0d%0aabc%0d%0a';
    await expect(inspect(`redis://:${lines}@127.0.0.1:${port}`)).rejects.toThrow(
      /redis_inspect needs a node of kind redis/,
    );
    expect(received).toEqual([]);
  });

  test('stops when its signal fires', async () => {
    const port = await loopback.open(createServer((socket) => socket.resume()));
    const controller = new AbortController();
    const reason = new Error('cancelled');
    setTimeout(() => controller.abort(reason), 30);
    await expect(
      redisInspect.run(
        { node: 'target' },
        contextOf(nodeOf('redis', `redis://127.0.0.1:${port}`), { signal: controller.signal }),
      ),
    ).rejects.toBe(reason);
    expect(await loopback.openConnections()).toBe(0);
  });
});

describe('judgement', () => {
  const judge = (info: string, errorsLater?: string) =>
    judgeRedis(
      {
        pingMs: 1,
        info: parseInfo(info),
        ...(errorsLater !== undefined && { errorsLater: parseInfo(errorsLater) }),
      },
      { memoryPercent: 90, slowMs: 1000 },
    );

  test('a cache that evicts is meant to be full', () => {
    expect(judge('used_memory:100\nmaxmemory:100\nmaxmemory_policy:allkeys-lru').issues).toEqual(
      [],
    );
    expect(
      judge('used_memory:95\nmaxmemory:100\nmaxmemory_policy:volatile-ttl').issues,
    ).toMatchObject([{ severity: 'warning', symptom: 'advisory' }]);
  });
  test('a rise of refused writes counts under any policy', () => {
    expect(
      judge(
        'used_memory:90\nmaxmemory:100\nmaxmemory_policy:volatile-lru\nerrorstat_OOM:count=3',
        'errorstat_OOM:count=9',
      ).issues,
    ).toMatchObject([{ severity: 'critical', symptom: 'saturated' }]);
  });
  test('buffers of replicas do not count against the limit', () => {
    expect(
      judge(
        'used_memory:120\nmem_not_counted_for_evict:40\nmaxmemory:100\nmaxmemory_policy:noeviction',
      ).issues,
    ).toEqual([]);
  });
  test('near the limit', () => {
    expect(
      judge('used_memory:85\nmaxmemory:100\nmaxmemory_policy:noeviction').judged,
    ).toContainEqual({
      metric: 'memory_percent',
      value: 85,
      most: 90,
    });
  });
  test('a replica without its master', () => {
    const { issues, measurements } = judge(
      'role:slave\nmaster_host:10.0.0.1\nmaster_port:6379\nmaster_link_status:down\nmaster_link_down_since_seconds:7',
    );
    expect(issues).toMatchObject([{ severity: 'critical', symptom: 'erroring' }]);
    expect(measurements).toMatchObject({ role: 'slave', master: '10.0.0.1:6379' });
  });
  test('disk trouble', () => {
    expect(judge('aof_last_write_status:err').issues).toMatchObject([
      { severity: 'critical', symptom: 'erroring' },
    ]);
    expect(judge('rdb_last_bgsave_status:err').issues).toMatchObject([{ severity: 'warning' }]);
    expect(judge('rdb_last_bgsave_status:err\nerrorstat_MISCONF:count=2').issues).toMatchObject([
      { severity: 'critical' },
    ]);
  });
  test('many clients', () => {
    expect(judge('connected_clients:95\nmaxclients:100').issues).toMatchObject([
      { severity: 'warning', symptom: 'advisory' },
    ]);
  });
});
