import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { startPrivateRedis } from '../../src/local/private-redis.js';
import { startCommandWith } from '../support/processes/command.js';
import { expectValid } from '../support/streams/event-stream.js';
import { Redis } from '../support/parts.js';
import { Scene } from '../support/scene.js';
import { healthy, held, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';

const QUICK = { LOCK_MS: '1000', STALL_MS: '300', SWEEP_SECONDS: '1' };

/** Makes a backup by the commands of the page about operating, as they are there. */
async function backUp(variables: Record<string, string>): Promise<void> {
  const page = await readFile(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const [, commands = ''] = /^## Backup$.*?^```sh$(.*?)^```$/ms.exec(page) ?? [];
  expect(commands).toContain('appendonlydir');
  await promisify(execFile)('sh', ['-euc', commands], { env: { ...process.env, ...variables } });
}

test('a service on a Redis with a restored copy of the append-only files has the same logs, and continues the open run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'consilium-restore-'));
  const [live, copy] = [join(folder, 'live'), join(folder, 'copy')];
  const scene = new Scene();
  const first = await startPrivateRedis({ dir: live });
  try {
    const api = await scene.service({ ...QUICK, REDIS_URL: first.url });
    const target = await httpTarget(scene.targets, healthy);
    const id = await api.store(topologyOf({ shop: target }));
    const ended = await api.accept(id);
    await api.reaches(ended, 'completed');
    const log = await api.log(ended);
    const answer = held(healthy);
    const waiting = await httpTarget(scene.targets, answer);
    const open = await api.accept(await api.store(topologyOf({ shop: waiting })));
    await api.reaches(open, 'running');

    // What was acknowledged is in the files: without this, a second of it may be missing.
    const redis = new Redis(first.url);
    await redis.config('SET', 'appendfsync', 'always');
    const variables = { REDIS_URL: first.url, REDIS_PREFIX: scene.redis.prefix };
    await backUp({ ...variables, REDIS_DIR: live, BACKUP: copy });
    expect(await redis.config('GET', 'auto-aof-rewrite-percentage')).toContain('100');
    redis.disconnect();
    expect(await (await fetch(`${api.url}/metrics`)).text()).toMatch(
      /^consilium_backup_timestamp_seconds \d{10}/m,
    );

    const second = await startPrivateRedis();
    try {
      await scene.stop(api);
      answer.release();
      const restore = (path = copy) =>
        startCommandWith({ ...variables, REDIS_URL: second.url }, 'src/cli/restore.ts', path).ended;
      expect(await restore(folder)).toEqual({
        code: 2,
        stdout: '',
        stderr: `${folder} cannot be restored: it has no append-only files of Redis 7 or later\n`,
      });
      expect(await restore()).toEqual({
        code: 0,
        stderr: '',
        stdout: expect.stringMatching(
          /^Restored \d+ keys from \S+ into 127\.0\.0\.1:\d+\./,
        ) as unknown,
      });
      const restored = await scene.service({ ...QUICK, REDIS_URL: second.url });
      const again = await restore();
      expect([again.code, again.stderr]).toEqual([
        2,
        expect.stringMatching(
          /^Nothing was restored into \S+: it has data of this service already/,
        ),
      ]);
      expect(await restored.log(ended)).toBe(log);
      expect((await restored.ask('GET', `/topologies/${id}`)).status).toBe(200);
      expect(expectValid(await restored.log(open)).at(-1)?.key).toBe('lifecycle.completed');
      await scene.stop(restored);
    } finally {
      await second.stop();
    }
  } finally {
    await scene.close();
    await first.stop();
    await rm(folder, { recursive: true });
  }
});
