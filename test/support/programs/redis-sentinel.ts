import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startPrivateRedis, type PrivateRedis } from '../../../src/local/private-redis.js';
import { freePort } from '../../../src/local/loopback.js';
import { until } from '../until.js';

const SERVER = 'redis-server';

export interface RedisSentinel {
  /** Its address in the form of REDIS_URL. */
  url: string;
  primary: PrivateRedis;
  replica: PrivateRedis;
  /** Waits until the replica has every write that the primary has acknowledged so far. */
  replicated(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * A primary, a replica, and a real sentinel that promotes the replica when the primary is away for
 * half a second.
 */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  const dir = await mkdtemp(join(tmpdir(), 'consilium-sentinel-'));
  const primary = await startPrivateRedis();
  const replica = await startPrivateRedis({
    extraArgs: ['--replicaof', '127.0.0.1', String(primary.port)],
  });
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
      `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
      ...rules,
    ].join('\n'),
  );
  const sentinel = spawn(SERVER, [file, '--sentinel'], { stdio: 'ignore' });
  const asked = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  asked.on('error', () => undefined);
  const stop = async () => {
    asked.disconnect();
    const ended = once(sentinel, 'exit');
    sentinel.kill('SIGKILL');
    await Promise.all([ended, primary.stop(), replica.stop()]);
    await rm(dir, { recursive: true });
  };
  try {
    const replicas = async () => (await asked.call('SENTINEL', 'replicas', 'main')) as string[][];
    await until('a replica that the sentinel knows', async () =>
      (await replicas()).flat().includes('slave'),
    );
    const replicated = async () => {
      const writer = new Redis(primary.url);
      // WAIT is for the writes of its own connection; replicas get all writes in one order.
      await writer.set('replicated', '');
      const replicas = await writer.wait(1, 60_000);
      writer.disconnect();
      if (replicas < 1) throw new Error('the replica does not follow the primary');
    };
    return { url: `redis+sentinel://127.0.0.1:${port}/main`, primary, replica, replicated, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
