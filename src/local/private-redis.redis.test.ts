import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { builtFile } from '../../test/support/processes/built.js';
import { until } from '../../test/support/until.js';
import { freePort } from './loopback.js';
import { askRedis } from './loopback.js';
import { redisUrlOrPrivate, startPrivateRedis } from './private-redis.js';

let folder: string;
const parents: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'private-redis-test-'));
});
afterAll(async () => {
  for (const parent of parents) parent.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function withClient<T>(url: string, use: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 });
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

/**
 * Command lines of running processes that contain this text. Small systems have no `ps`, macOS has
 * no /proc.
 */
function processesNaming(text: string): string[] {
  const lines = existsSync('/proc/self/cmdline')
    ? commandLinesOfProc()
    : execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !line.startsWith('ps -eo'));
}

function commandLinesOfProc(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return ''; // The process ended meanwhile.
      }
    });
}

const untilNone = (text: string) =>
  until('the end of all processes', () => processesNaming(text).length === 0);

/**
 * A process that owns a private Redis and runs the script `after`. Resolves with its first line of
 * output when both are set up.
 */
async function parentOf(
  dir: string,
  after: string,
): Promise<{ parent: ChildProcess; line: string; lines: Interface }> {
  const script = `
    import { startPrivateRedis } from '${builtFile('src/local/private-redis.ts')}';
    try {
      const redis = await startPrivateRedis(${JSON.stringify({ dir })});
      ${after}
      console.log(redis.url);
    } catch (error) { console.log(error.message); process.exit(3); }`;
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
    detached: true,
  });
  parents.push(parent);
  const lines = createInterface(parent.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  return { parent, line, lines };
}

const STAY = 'setInterval(() => {}, 1000);';

describe('startPrivateRedis', () => {
  it('replies, evicts nothing, and leaves no process and no file after stop', async () => {
    const redis = await startPrivateRedis();
    const dir = await withClient(redis.url, async (client) => {
      expect(await client.config('GET', 'maxmemory-policy')).toEqual([
        'maxmemory-policy',
        'noeviction',
      ]);
      expect(await client.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
      return (await client.config('GET', 'dir'))[1] ?? '';
    });
    expect(processesNaming(dir)).not.toEqual([]);
    await redis.stop();
    await redis.stop();
    expect(processesNaming(dir)).toEqual([]);
    expect(existsSync(dir)).toBe(false);
  });

  it('keeps its data in a deep folder across a restart', async () => {
    const dir = join(folder, 'deep-'.repeat(20), 'deeper-'.repeat(20));
    const first = await startPrivateRedis({ dir });
    await withClient(first.url, (client) => client.set('kept', 'yes'));
    await first.stop();
    const second = await startPrivateRedis({ dir });
    expect(await withClient(second.url, (client) => client.get('kept'))).toBe('yes');
    await second.stop();
    expect((await readdir(dir)).filter((name) => name.startsWith('owner-'))).toEqual([]);
  });

  it('lets no other user of the machine read its data', async () => {
    const dir = join(folder, 'new-data');
    const first = await startPrivateRedis({ dir, secured: true });
    await withClient(first.url, (client) => client.set('secret', 'x'));
    await first.stop();
    const modes = async () =>
      (await readdir(dir, { recursive: true, withFileTypes: true })).map(
        ({ name, parentPath }) => [name, statSync(join(parentPath, name)).mode & 0o077] as const,
      );
    expect(statSync(dir).mode & 0o777).toBe(0o700);
    expect((await modes()).filter(([, others]) => others !== 0)).toEqual([]);
    // As earlier versions left it.
    chmodSync(join(dir, 'appendonlydir'), 0o755);
    await (await startPrivateRedis({ dir })).stop();
    expect((await modes()).filter(([, others]) => others !== 0)).toEqual([]);
  });

  it('passes extra arguments to the server', async () => {
    const redis = await startPrivateRedis({ extraArgs: ['--maxmemory', '8mb'] });
    expect(await withClient(redis.url, (client) => client.config('GET', 'maxmemory'))).toEqual([
      'maxmemory',
      '8388608',
    ]);
    await redis.stop();
  });

  it('reports the output of a server that does not start, and a port in use', async () => {
    await expect(startPrivateRedis({ extraArgs: ['--no-such-option', 'x'] })).rejects.toThrow(
      /no-such-option/,
    );
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as net.AddressInfo;
    await expect(startPrivateRedis({ port })).rejects.toThrow(/address already in use/i);
    other.close();
    expect(await freePort()).toBeGreaterThan(0);
  });

  it('lets one of many contenders have a directory and names it to the others', async () => {
    const dir = join(folder, 'contended');
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, () => startPrivateRedis({ dir })),
    );
    const won = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const lost = tries.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    expect(won).toHaveLength(1);
    expect(lost.every((message) => message.includes(`in use by process ${process.pid}`))).toBe(
      true,
    );
    await won[0]?.stop();
    const next = await startPrivateRedis({ dir });
    await next.stop();
  });

  it('refuses a directory that another process holds, by its pid', async () => {
    const dir = join(folder, 'held');
    const { parent } = await parentOf(dir, STAY);
    await expect(startPrivateRedis({ dir })).rejects.toThrow(
      `in use by process ${parent.pid}. Stop that process, or set DATA_DIR to another directory.`,
    );
    parent.kill('SIGKILL');
    await untilNone(dir);
  });

  it('removes sockets and files that dead owners left', async () => {
    const dir = join(folder, 'stale');
    await mkdir(dir);
    await writeFile(join(dir, 'owner-0123456789ab'), 'not a socket');
    const { parent, line } = await parentOf(dir, STAY);
    await withClient(line, (client) => client.set('kept', 'yes'));
    // No fsync is needed: the process dies, the machine does not.
    parent.kill('SIGKILL');
    const next = await startPrivateRedis({ dir });
    expect(await withClient(next.url, (client) => client.get('kept'))).toBe('yes');
    await next.stop();
    // The guard of the dead owner ends on its own.
    await untilNone(dir);
  });
});

describe('a private Redis ends with its owner', () => {
  it.each([
    ['is killed with SIGKILL', STAY, (parent: ChildProcess) => parent.kill('SIGKILL')],
    ['is terminated without a handler', STAY, (parent: ChildProcess) => parent.kill('SIGTERM')],
    [
      'gets Ctrl-C without a handler',
      STAY,
      (parent: ChildProcess) => process.kill(-(parent.pid ?? 0), 'SIGINT'),
    ],
    ['exits without stopping it', 'setTimeout(() => process.exit(0));', () => undefined],
    [
      'throws',
      'setTimeout(() => { throw new Error("deliberate, for this test"); });',
      () => undefined,
    ],
    ['has nothing left to do', '', () => undefined],
  ])('when that %s', async (_name, after, end) => {
    const dir = await mkdtemp(join(folder, 'owner-'));
    const { parent } = await parentOf(dir, after);
    end(parent);
    await untilNone(dir);
  });

  it('but not before its owner has shut down after Ctrl-C', async () => {
    const dir = join(folder, 'graceful');
    const { parent, line, lines } = await parentOf(
      dir,
      `process.on('SIGINT', () => console.log('interrupted'));
       process.on('SIGTERM', () => process.exit(0)); ${STAY}`,
    );
    const interrupted = once(lines, 'line');
    process.kill(-(parent.pid ?? 0), 'SIGINT');
    await interrupted;
    await sleep(300);
    expect(await withClient(line, (client) => client.ping())).toBe('PONG');
    parent.kill('SIGTERM');
    await untilNone(dir);
  });
});

describe('redisUrlOrPrivate', () => {
  it('uses the given URL and starts a server if it is missing or empty', async () => {
    const given = await redisUrlOrPrivate('redis://example:1');
    expect(given.url).toBe('redis://example:1');
    await given.stop();
    const own = await redisUrlOrPrivate('');
    expect(await withClient(own.url, (client) => client.ping())).toBe('PONG');
    await own.stop();
  });

  it('L5: requires a password that only its URL holds', async () => {
    const own = await redisUrlOrPrivate('', { dir: join(folder, 'secured') });
    const { port, password } = new URL(own.url);
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(await askRedis(Number(port), 'GET key')).toMatch(/^-NOAUTH/);
    expect(processesNaming(password)).toEqual([]);
    await killServer(own.url);
    await until('a reply after the restart', () =>
      withClient(own.url, (client) => client.ping()).catch(() => undefined),
    );
    await own.stop();
  });
});

/** Sends SIGKILL to the server process at a URL. */
async function killServer(url: string): Promise<void> {
  const info = await withClient(url, (redis) => redis.info('server'));
  process.kill(Number(/process_id:(\d+)/.exec(info)?.[1]), 'SIGKILL');
}

it('restarts a server that ended unexpectedly, on the same port and data', async () => {
  const lines: string[] = [];
  const redis = await startPrivateRedis({
    dir: join(folder, 'restarted'),
    say: (line) => lines.push(line),
  });
  await withClient(redis.url, (client) => client.set('key', 'kept'));
  await killServer(redis.url);
  const value = await until('a reply after the restart', () =>
    withClient(redis.url, (client) => client.get('key')).catch(() => undefined),
  );
  expect(value).toBe('kept');
  expect(lines.join('\n')).toContain('ended unexpectedly');
  await redis.stop();
});

it('reports a server without a data directory as lost', async () => {
  const redis = await startPrivateRedis();
  await killServer(redis.url);
  expect(await redis.lost).toContain('Its data is lost');
  await redis.stop();
});
