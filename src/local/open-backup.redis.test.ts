import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from '../../test/support/parts.js';
import { openBackup } from './open-backup.js';
import { startPrivateRedis } from './private-redis.js';

let folder: string;
/** The data of a Redis that has been stopped. */
let data: string;
let snapshot: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'consilium-backups-'));
  data = join(folder, 'data');
  const server = await startPrivateRedis({ dir: data });
  const redis = new Redis(server.url);
  await redis.set('a', 'one');
  await redis.save();
  const [, name = ''] = await redis.config('GET', 'dbfilename');
  snapshot = join(data, name);
  await redis.set('a', 'two');
  redis.disconnect();
  await server.stop();
});
afterAll(() => rm(folder, { recursive: true }));

async function valueIn(path: string): Promise<{ a: string | null; digest: string }> {
  const { url, digest, close } = await openBackup(path);
  const redis = new Redis(url);
  const a = await redis.get('a');
  redis.disconnect();
  await close();
  return { a, digest };
}

const bytesOf = async (path: string) =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(path)).map(async (name) => [name, await readFile(join(path, name))] as const),
    ),
  );

it('reads append-only files, the folder around them, and snapshots, and changes none', async () => {
  const files = join(data, 'appendonlydir');
  const before = await bytesOf(files);
  const { a, digest } = await valueIn(files);
  expect(a).toBe('two');
  expect(await valueIn(data)).toEqual({ a: 'two', digest });
  const earlier = await valueIn(snapshot);
  expect(earlier.a).toBe('one');
  expect(earlier.digest).not.toBe(digest);
  expect(await bytesOf(files)).toEqual(before);
});

it('refuses what is no backup, damaged, or of a later Redis', async () => {
  const bytes = await readFile(snapshot);
  const write = async (name: string, content: Buffer | string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const later = Buffer.concat([Buffer.from('REDIS0999'), bytes.subarray(9)]);
  const changed = Buffer.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  await mkdir(join(folder, 'empty'));
  for (const [path, why] of [
    [join(folder, 'empty'), /^it has no append-only files/],
    [await write('text', 'no backup'), /^it is no snapshot of Redis/],
    [await write('nothing', ''), /^it is no snapshot of Redis/],
    [await write('later.rdb', later), /Can't handle RDB format version 999/],
    [await write('changed.rdb', changed), /checksum/i],
    [await write('cut.rdb', bytes.subarray(0, -12)), /RDB/],
    [join(folder, 'missing'), /no such file/i],
  ] as const)
    await expect(openBackup(path)).rejects.toThrow(why);
});
