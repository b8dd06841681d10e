import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { testRedis, type TestRedis } from '../../test/support/redis.js';
import { runKeys, type RunKeys } from './keys.js';
import { readPage } from './read-page.js';

let corner: TestRedis;
let keys: RunKeys;
beforeAll(async () => {
  corner = testRedis();
  keys = runKeys(corner.prefix, randomUUID());
  await write(3);
});
afterAll(() => corner.close());

async function write(sequence: number, status = 'running'): Promise<void> {
  for (let next = (await corner.redis.xlen(keys.log)) + 1; next <= sequence; next++)
    await corner.redis.xadd(keys.log, `${next}-0`, 'f', `frame ${next}`);
  await corner.redis.hset(keys.state, 'status', status, 'seq', sequence);
}

/** Runs `between` after the first command of a pipeline, as another client may. */
function interrupted(redis: Redis, between: () => Promise<void>): Redis {
  type Call = (...args: unknown[]) => Promise<unknown>;
  const pipeline = () => {
    const calls: (() => Promise<unknown>)[] = [];
    const exec = async () => {
      const answers: [null, unknown][] = [];
      for (const call of calls) {
        if (answers.length > 0) await between();
        answers.push([null, await call()]);
      }
      return answers;
    };
    const recorder: object = new Proxy(
      {},
      {
        get: (_, name: string) =>
          name === 'exec'
            ? exec
            : (...args: unknown[]) => {
                calls.push(
                  () =>
                    (redis as unknown as Record<string, Call>)[name]?.(...args) ??
                    Promise.resolve(),
                );
                return recorder;
              },
      },
    );
    return recorder;
  };
  return { pipeline } as unknown as Redis;
}

const shown = (page: Awaited<ReturnType<typeof readPage>>) => {
  const { before, frames, ...rest } = page as NonNullable<typeof page>;
  return { before: before && String(before), frames: frames.map(String), ...rest };
};

it('does not report events as missing that are written during the read', async () => {
  const page = shown(
    await readPage(
      interrupted(corner.redis, () => write(4)),
      keys,
      3,
      10,
    ),
  );
  expect(page).toEqual({
    before: 'frame 3',
    frames: ['frame 4'],
    lastSequence: 3,
    sealed: false,
    missing: false,
  });
  const end = shown(
    await readPage(
      interrupted(corner.redis, () => write(5, 'completed')),
      keys,
      4,
      10,
    ),
  );
  expect(end).toEqual({
    before: 'frame 4',
    frames: ['frame 5'],
    lastSequence: 4,
    sealed: false,
    missing: false,
  });
  expect(shown(await readPage(corner.redis, keys, 4, 10))).toEqual({
    before: 'frame 4',
    frames: ['frame 5'],
    lastSequence: 5,
    sealed: true,
    missing: false,
  });
});

it('reports missing frames, all of them or the next ones', async () => {
  expect(await readPage(corner.redis, keys, 5, 10)).toMatchObject({ frames: [], missing: false });
  await corner.redis.xdel(keys.log, '1-0', '2-0');
  expect((await readPage(corner.redis, keys, 0, 10))?.missing).toBe(true);
  expect(shown(await readPage(corner.redis, keys, 2, 2))).toEqual({
    before: undefined,
    frames: ['frame 3', 'frame 4'],
    lastSequence: 5,
    sealed: true,
    missing: false,
  });
  await corner.redis.del(keys.log);
  expect(await readPage(corner.redis, keys, 2, 2)).toMatchObject({ frames: [], missing: true });
  expect(await readPage(corner.redis, runKeys(corner.prefix, randomUUID()), 0, 1)).toBeUndefined();
});
