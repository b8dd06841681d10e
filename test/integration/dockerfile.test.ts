import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { freePort } from '../../src/local/loopback.js';
import { carryOut, cleanEnvironment, type Stage } from '../support/processes/dockerfile.js';
import { testRedis, type TestRedis } from '../support/redis.js';
import { until } from '../support/until.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');

let folder: string;
let image: Stage;
let corner: TestRedis;
beforeAll(async () => {
  corner = testRedis();
  folder = await mkdtemp(join(tmpdir(), 'consilium-image-'));
  const stages = await carryOut(join(ROOT, 'Dockerfile'), ROOT, folder);
  image = [...stages.values()].at(-1) as Stage;
});
afterAll(async () => {
  await corner.close();
  await rm(folder, { recursive: true, force: true });
});

describe('Dockerfile', () => {
  /** Starts the image's command as a container does. */
  function start(env: NodeJS.ProcessEnv): ChildProcess {
    const [program = '', ...args] = image.command ?? [];
    return spawn(program, args, {
      cwd: image.folder,
      env: { ...cleanEnvironment(image), ...env },
      stdio: 'ignore',
    });
  }

  async function isHealthy(env: NodeJS.ProcessEnv): Promise<boolean> {
    const [program = '', ...args] = image.healthcheck ?? [];
    const options = { cwd: image.folder, env: { ...cleanEnvironment(image), ...env } };
    return run(program, args, options).then(
      () => true,
      () => false,
    );
  }

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

  it('gives the user of the image the folders where docker-compose.yml mounts volumes', async () => {
    const { services } = parse(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8'), {
      merge: true,
    }) as { services: Record<string, { volumes?: unknown[] }> };
    const mounts = ['api', 'worker'].flatMap((name) =>
      (services[name]?.volumes ?? []).filter((each) => typeof each === 'string'),
    );
    expect(mounts.length).toBeGreaterThan(0);
    for (const mount of mounts)
      expect([mount, image.owners.get(mount.split(':')[1] ?? '')]).toEqual([mount, image.user]);
  });

  it.each(['api', 'worker'])(
    'builds an image that starts as %s, reports its health, and ends at SIGTERM',
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
      const withoutRedis = { ...env, REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
      expect(await isHealthy(withoutRedis)).toBe(false);
      const service = start(env);
      const ended = once(service, 'exit');
      await until('a healthy service', () => isHealthy(env));
      expect(service.exitCode).toBeNull();
      service.kill('SIGTERM');
      expect((await ended)[0]).toBe(0);
    },
  );

  it('builds an image that refuses to start a role without REDIS_URL', async () => {
    const [code] = (await once(start({ ROLE: 'worker' }), 'exit')) as [number];
    expect(code).toBeGreaterThan(0);
  });
});
