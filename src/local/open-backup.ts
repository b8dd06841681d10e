import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readdir,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { startPrivateRedis } from './private-redis.js';

/** A Redis that has loaded a copy of a backup. */
export interface OpenBackup {
  url: string;
  /** Of the bytes of the backup. */
  digest: string;
  /** Stops the Redis and removes the copy. */
  close: () => Promise<void>;
}

const APPEND_ONLY = 'appendonlydir';
const MANIFEST = '.manifest';
const SNAPSHOT = Buffer.from('REDIS');

/** The files of a backup, by their names in the folder of append-only files. */
interface Files {
  paths: Map<string, string>;
  /** `appendfilename` */
  name: string;
  /** Of a snapshot, which has none. */
  manifest?: string;
}

/**
 * Starts a private Redis on a copy of a backup: a folder of append-only files, the folder around
 * it, or a snapshot (RDB). Redis itself decides whether it can read them. The backup is not
 * changed.
 * @throws Error that describes the fault of the backup, without its path
 */
export async function openBackup(path: string, say?: (line: string) => void): Promise<OpenBackup> {
  const files = await filesOf(path);
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'consilium-restore-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const inside = join(folder, APPEND_ONLY);
    await mkdir(inside, { mode: 0o700 });
    const hash = createHash('sha256');
    for (const [name, source] of files.paths) {
      await copyFile(source, join(inside, name));
      hash.update(`${name}\n`);
      await pipeline(createReadStream(join(inside, name)), hash, { end: false });
    }
    if (files.manifest !== undefined)
      await writeFile(join(inside, `${files.name}${MANIFEST}`), files.manifest);
    const server = await startPrivateRedis({
      dir: folder,
      secured: true,
      extraArgs: ['--appendfilename', files.name],
      ...(say && { say }),
    });
    const close = async () => {
      await server.stop();
      await remove();
    };
    return { url: server.url, digest: hash.digest('hex'), close };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function filesOf(path: string): Promise<Files> {
  if (!(await stat(path)).isDirectory()) return ofSnapshot(path);
  for (const folder of [path, join(path, APPEND_ONLY)]) {
    const names = (await readdir(folder).catch(() => [])).toSorted();
    const manifest = names.find((name) => name.endsWith(MANIFEST));
    if (manifest === undefined) continue;
    const name = manifest.slice(0, -MANIFEST.length);
    const own = names.filter((each) => each.startsWith(`${name}.`));
    return { name, paths: new Map(own.map((each) => [each, join(folder, each)])) };
  }
  throw new Error('it has no append-only files of Redis 7 or later');
}

/** Append-only files begin with a snapshot. */
async function ofSnapshot(path: string): Promise<Files> {
  const file = await open(path);
  const buffer = Buffer.alloc(SNAPSHOT.length);
  try {
    await file.read(buffer, 0, buffer.length, 0);
  } finally {
    await file.close();
  }
  if (!buffer.equals(SNAPSHOT)) throw new Error('it is no snapshot of Redis');
  const name = 'appendonly.aof';
  const base = 'appendonly.aof.1.base.rdb';
  const manifest = `file ${base} seq 1 type b\n`;
  return { name, manifest, paths: new Map([[base, path]]) };
}
