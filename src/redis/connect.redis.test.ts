import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { builtFile } from '../../test/support/processes/built.js';
import { testRedis } from '../../test/support/redis.js';
import { TcpProxy } from '../../test/support/processes/tcp-proxy.js';
import { until } from '../../test/support/until.js';
import { freePort } from '../local/loopback.js';
import { startPrivateRedis } from '../local/private-redis.js';
import { connect, workerConnection } from './connect.js';
import { isCluster } from './redis-url.js';

const SERVER = 'redis-server';
const TLS = join(import.meta.dirname, '../../test/fixtures/tls');
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function opened(url: string, timeout?: number): Redis {
  const redis = connect(url, timeout);
  closers.push(() => redis.disconnect());
  return redis;
}

async function program(args: string[], port: number): Promise<ChildProcess> {
  const child = spawn(SERVER, args, { stdio: 'ignore' });
  closers.push(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const { connect: dial } = await import('node:net');
  await until(
    'a server',
    () =>
      new Promise<boolean>((resolve) =>
        dial(port, '127.0.0.1')
          .on('connect', function (this: { destroy(): void }) {
            this.destroy();
            resolve(true);
          })
          .on('error', () => resolve(false)),
      ),
  );
  return child;
}

describe('connect', () => {
  it('recognises the URL of a cluster', () => {
    expect(['redis://h', 'rediss://h', 'redis+sentinel://h/m', undefined].map(isCluster)).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(['redis+cluster://h:1,h:2', 'rediss+cluster://u:p@h'].map(isCluster)).toEqual([
      true,
      true,
    ]);
  });

  it('reads hosts, credentials and the master from a URL', () => {
    const read = (url: string) => workerConnection(url, 1).connection;
    expect(read('redis://h:1/2')).toMatchObject({ url: 'redis://h:1/2' });
    expect(
      read('redis+sentinel://user:p%40ss:word@a:1,b,[::1]:3/main%20one/4?sentinelPassword=x'),
    ).toMatchObject({
      username: 'user',
      password: 'p@ss:word',
      sentinels: [
        { host: 'a', port: 1 },
        { host: 'b', port: 26_379 },
        { host: '::1', port: 3 },
      ],
      name: 'main one',
      db: 4,
      sentinelPassword: 'x',
    });
    expect(read('rediss+sentinel://a/m')).toMatchObject({
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    });
  });

  it.each([
    ['redis+sentinel://user:secret@a:1', /has no master name/],
    ['redis+sentinel://secret:1,:2/m', /an invalid host/],
    ['redis+cluster://secret:x', /an invalid host/],
  ])('reports %s and shows no part of the URL', (url, message) => {
    const read = () => connect(url);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret/);
  });

  it('speaks TLS', async () => {
    const port = await freePort();
    const dir = await mkdtemp(join(tmpdir(), 'consilium-tls-'));
    closers.push(() => rm(dir, { recursive: true }));
    const files = [
      '--tls-cert-file',
      join(TLS, 'valid.pem'),
      '--tls-key-file',
      join(TLS, 'test.key'),
      '--tls-ca-cert-file',
      join(TLS, 'ca.pem'),
    ];
    await program(
      [
        '--port',
        '0',
        '--tls-port',
        String(port),
        ...files,
        '--tls-auth-clients',
        'no',
        '--save',
        '',
        '--dir',
        dir,
      ],
      port,
    );
    // A private certificate authority is passed to Node: NODE_EXTRA_CA_CERTS is read when a process
    // starts.
    const script = `import { connect } from ${JSON.stringify(builtFile('src/redis/connect.ts'))};
      const redis = connect(process.argv[1], 60_000);
      redis.on('error', () => { console.log('refused'); process.exit(); });
      console.log(await redis.ping()); redis.disconnect();`;
    const ask = async (ca: string) => {
      const { NODE_OPTIONS: _, ...env } = process.env;
      const child = spawn(
        process.execPath,
        ['--input-type=module', '-e', script, `rediss://127.0.0.1:${port}`],
        {
          cwd: join(import.meta.dirname, '../..'),
          env: { ...env, NODE_EXTRA_CA_CERTS: ca },
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
      closers.push(() => child.kill('SIGKILL'));
      let said = '';
      child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
      await once(child, 'close');
      return said.trim();
    };
    expect(await Promise.all([ask(join(TLS, 'ca.pem')), ask('')])).toEqual(['PONG', 'refused']);
  });

  it('connects to the master of the sentinels, and to the new one after a failover', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'consilium-sentinel-'));
    closers.push(() => rm(dir, { recursive: true }));
    const one = await startPrivateRedis();
    const two = await startPrivateRedis({
      extraArgs: ['--replicaof', '127.0.0.1', String(one.port)],
    });
    closers.push(() => Promise.all([one.stop(), two.stop()]));
    const port = await freePort();
    const file = join(dir, 'sentinel.conf');
    const rules = ['down-after-milliseconds main 500', 'failover-timeout main 2000'].map(
      (rule) => `sentinel ${rule}`,
    );
    await writeFile(
      file,
      [
        `port ${port}`,
        `dir ${dir}`,
        `sentinel monitor main 127.0.0.1 ${one.port} 1`,
        ...rules,
      ].join('\n'),
    );
    await program([file, '--sentinel'], port);
    const redis = opened(`redis+sentinel://127.0.0.1:${port}/main/1`, 5_000);
    const portNow = async () => Number(/tcp_port:(\d+)/.exec(await redis.info('server'))?.[1]);
    await until('a synchronised replica', async () =>
      /state=online/.test(await redis.info('replication')),
    );
    await redis.set('before', 'x');
    await redis.wait(1, 5_000);
    expect(await portNow()).toBe(one.port);
    const sentinel = opened(`redis://127.0.0.1:${port}`);
    await until(
      'a known replica',
      async () => ((await sentinel.call('SENTINEL', 'replicas', 'main')) as unknown[]).length === 1,
    );
    await one.stop();
    await until('the new master', async () => (await portNow().catch(() => 0)) === two.port);
    expect(await redis.get('before')).toBe('x');
  });

  it('replaces a half-open connection', async () => {
    const corner = testRedis();
    closers.push(() => corner.close());
    const proxy = await TcpProxy.to(corner.url);
    closers.push(() => proxy.close());
    const redis = opened(proxy.url, 300);
    await redis.ping();
    proxy.swallow();
    await expect(redis.ping()).rejects.toThrow('Command timed out');
    proxy.mend();
    await until('a new connection', async () => (await redis.ping().catch(() => '')) === 'PONG');
    expect(proxy.accepted).toBe(2);
  });
});
