import { mkdtemp, readdir, realpath, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { startPrivateRedis, type PrivateRedis } from '../../../src/local/private-redis.js';

/**
 * What is acknowledged is in the file. With `everysec` Redis puts writes off for up to 2 s while
 * the disk is busy with an fsync, and answers all the same: SIGKILL may lose them then.
 */
const STRICT = ['--appendfsync', 'always'];

/** A Redis with an append-only file that belongs to one test, which may do to it what it likes. */
export class HurtRedis {
  private constructor(
    private readonly dir: string,
    private server: PrivateRedis,
  ) {}

  static async start(): Promise<HurtRedis> {
    const dir = await mkdtemp(join(await realpath(tmpdir()), 'consilium-hurt-'));
    return new HurtRedis(dir, await startPrivateRedis({ dir, extraArgs: STRICT }));
  }

  get url(): string {
    return this.server.url;
  }

  /** SIGKILL: no time to write anything. Resolves when it is gone. */
  async kill(): Promise<void> {
    const pid = /process_id:(\d+)/.exec(await this.ask((redis) => redis.info('server')))?.[1];
    process.kill(Number(pid), 'SIGKILL');
    // The guard has nothing left to guard; this lets go of the directory.
    await this.server.stop();
  }

  /** Starts it again on the same port, with what its append-only file has. */
  async restart(): Promise<void> {
    this.server = await startPrivateRedis({
      dir: this.dir,
      port: this.server.port,
      extraArgs: STRICT,
    });
  }

  /** Where its append-only file ends now. */
  async mark(): Promise<number> {
    return (await stat(await this.file())).size;
  }

  /**
   * Of a killed one: loses all that was written after a mark, as a failover does to a replica that
   * lagged.
   */
  async forget(mark: number): Promise<void> {
    await truncate(await this.file(), mark);
  }

  /** No write that needs memory is taken any more. */
  async fill(): Promise<void> {
    await this.ask((redis) => redis.config('SET', 'maxmemory', '1mb'));
  }

  async empty(): Promise<void> {
    await this.ask((redis) => redis.config('SET', 'maxmemory', '0'));
  }

  async close(): Promise<void> {
    await this.server.stop();
    await rm(this.dir, { recursive: true, force: true });
  }

  private async file(): Promise<string> {
    const folder = join(this.dir, 'appendonlydir');
    const name = (await readdir(folder)).find((file) => file.endsWith('.incr.aof'));
    return join(folder, name ?? '');
  }

  private async ask<Answer>(question: (redis: Redis) => Promise<Answer>): Promise<Answer> {
    const redis = new Redis(this.url);
    try {
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }
}
