import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/local/loopback.js';
import { carryOut, cleanEnvironment, type Stage } from '../support/dockerfile.js';
import { testRedis, type TestRedis } from '../support/redis.js';

const root = join(import.meta.dirname, '../..');
const BUILD_MS = 300_000;

let folder: string;
let image: Stage;
let corner: TestRedis;

beforeAll(async () => {
  corner = testRedis();
  folder = await mkdtemp(join(tmpdir(), 'consilium-image-'));
  const stages = await carryOut(join(root, 'Dockerfile'), root, folder);
  const last = [...stages.values()].at(-1);
  if (last === undefined) throw new Error('no stage');
  image = last;
}, BUILD_MS);
afterAll(async () => {
  await corner.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the image's command as a container does. */
function start(env: NodeJS.ProcessEnv): ChildProcess {
  const [program = '', ...args] = image.command ?? [];
  return spawn(program, args, {
    cwd: image.folder,
    env: { ...cleanEnvironment(image), ...env },
    stdio: 'ignore',
  });
}

function isHealthy(env: NodeJS.ProcessEnv): boolean {
  const [program = '', ...args] = image.healthcheck ?? [];
  try {
    execFileSync(program, args, {
      cwd: image.folder,
      env: { ...cleanEnvironment(image), ...env },
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, ms = 20_000): Promise<boolean> {
  const deadline = Date.now() + ms;
  while (!condition()) {
    if (Date.now() > deadline) return false;
    await sleep(200);
  }
  return true;
}

describe('Dockerfile', () => {
  it('builds an image without root, sources and development dependencies', () => {
    expect(image.user).toBe('node');
    expect(readdirSync(image.folder).sort()).toEqual([
      'behaviours',
      'dist',
      'examples',
      'node_modules',
      'package.json',
      'prompts',
      'rules',
      'scripts',
      'subscribers',
    ]);
    expect(
      ['typescript', 'jest', '@swc/core'].filter((name) =>
        existsSync(join(image.folder, 'node_modules', name)),
      ),
    ).toEqual([]);
  });

  it.each(['api', 'worker'])(
    'makes one that starts as %s, says whether it is healthy, and ends at SIGTERM',
    async (role) => {
      const port = String(await freePort());
      const env = {
        ROLE: role,
        PORT: port,
        HOST: '127.0.0.1',
        REDIS_URL: corner.url,
        REDIS_PREFIX: corner.prefix,
        LOG_LEVEL: 'silent',
      };
      expect(isHealthy({ ...env, REDIS_URL: `redis://127.0.0.1:${await freePort()}` })).toBe(false);
      const service = start(env);
      const ended = once(service, 'exit');
      expect(await until(() => isHealthy(env))).toBe(true);
      expect(service.exitCode).toBeNull();
      service.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    },
    60_000,
  );

  it('builds an image that refuses to start a role without REDIS_URL', async () => {
    const [code] = (await once(start({ ROLE: 'worker' }), 'exit')) as [number];
    expect(code).toBeGreaterThan(0);
  });
});
