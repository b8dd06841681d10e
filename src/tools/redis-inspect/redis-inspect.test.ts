import { exec } from 'node:child_process';
import { connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import {
  contextOf,
  Loopback,
  nodeOf,
  testCa,
  testCertificate,
} from '../../../test/support/loopback.js';
import { until } from '../../../test/support/until.js';
import type { JsonObject } from '../../lib/json.js';
import { type PrivateRedis, startPrivateRedis } from '../../local/private-redis.js';
import { PromptFiles } from '../../prompts/prompt-files.js';
import { redisInspect } from './redis-inspect.js';

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

  test('full far beyond its limit takes writes again after the step that raises the limit', async () => {
    await fill();
    await client.config('SET', 'maxmemory', '1mb');
    const { nextSteps } = new PromptFiles().prompts;
    const raise = nextSteps['out-of-memory-of-redis']?.find(({ command }) =>
      String(command).includes('CONFIG SET maxmemory $'),
    );
    await promisify(exec)(String(raise?.command).replaceAll('<url>', server.url));
    expect(await client.set('again', 'x')).toBe('OK');
    expect((await inspect(server.url)).status).toBe('ok');
  });

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
      // That the topology has no password is no fault of the server.
      await expect(inspect(server.url)).rejects.toMatchObject({
        failure: 'refused',
        message: expect.stringMatching(
          /^127\.0\.0\.1:\d+ wants a password, .* Write :\$\{env:NAME\}@ before the host .* SECRETS_ALLOW to env:NAME/,
        ) as unknown,
      });
      await expect(inspect(`redis://default@${host}`)).rejects.toMatchObject({
        failure: 'refused',
      });
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
    expect(result.issues).toMatchObject([
      { severity: 'warning', symptom: 'slow', kind: 'slow-query' },
    ]);
    expect(result.measurements['slowlog_slowest_ms']).toBeGreaterThan(100);
    await client.call('SLOWLOG', 'RESET');
  });

  test('leaves no connection behind', async () => {
    await inspect(server.url);
    await until('no other client', async () =>
      String(await client.info('clients')).includes('connected_clients:1\r\n'),
    );
  });
});
