import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Config } from '../config/config.js';
import type { SecretBox } from '../config/secret-box.js';
import type { Topology } from '../domain/topology/topology.js';
import { DAY_SECONDS } from '../lib/day.js';
import { allOf } from '../redis/all-of.js';
import { pinnedTopologyKey, processesKey } from '../redis/keys.js';

/** What a process says of itself in the list of processes: it reads runs whose topology is pinned. */
export const READS_PINS = 'pinned-topologies';
/** ms: a process that gave no sign of life for so long is gone. */
export const GONE_MS = 15_000;

/** UTF-16 code units of JSON: a smaller topology stays in the specification of its run. */
const LEAST = 32_768;
/** UTF-16 code units of JSON in memory. */
const CACHED = 16_777_216;
/** Days beyond RETENTION_DAYS, in which retention may be late. */
const SPARE_DAYS = 7;

const sign = z.object({ seenAt: z.string(), features: z.array(z.string()).default([]) });

/** A topology and the length of its JSON in UTF-16 code units. */
interface Sized {
  topology: Topology;
  size: number;
}

/**
 * Stores large topologies once for all runs that start with them, under a digest of their content. Each start renews the expiry,
 * so that a topology stays longer than the logs of all its runs: docs/decisions/0028-large-topologies-are-pinned.md.
 */
export class PinnedTopologies {
  private readonly known = new LRUCache<string, Sized>({ maxSize: CACHED });

  constructor(
    private readonly redis: Redis,
    private readonly config: Pick<Config, 'redisPrefix' | 'retentionDays'>,
    private readonly box: SecretBox,
  ) {}

  /**
   * Stores a topology for a run that is about to be created.
   * @returns its digest; undefined if the run must keep a copy: the topology is small, or a process of an earlier version lives
   */
  async pin(topology: Topology, tenant: string): Promise<string | undefined> {
    const text = JSON.stringify(topology);
    if (text.length < LEAST || !(await this.allRead())) return undefined;
    const digest = this.box.digest(`${tenant}\n${text}`);
    const key = this.key(digest);
    const seconds = Math.ceil((this.config.retentionDays + SPARE_DAYS) * DAY_SECONDS);
    if ((await this.redis.expire(key, seconds)) === 1) return digest;
    await this.redis.set(key, JSON.stringify(this.box.seal(topology, tenant)), 'EX', seconds);
    return digest;
  }

  /** Undefined if it is no longer kept. @throws Error as {@link SecretBox.open} */
  async read(digest: string, tenant: string): Promise<Sized | undefined> {
    const remembered = this.known.get(digest);
    if (remembered) return remembered;
    const text = await this.redis.get(this.key(digest));
    if (text === null) return undefined;
    const read = {
      topology: this.box.open(JSON.parse(text) as Topology, tenant),
      size: text.length,
    };
    this.known.set(digest, read, { size: text.length });
    return read;
  }

  /** Whether all processes that live can read pinned topologies. */
  private async allRead(): Promise<boolean> {
    const asked = this.redis.pipeline().time().hvals(processesKey(this.config.redisPrefix));
    const [[seconds], texts] = (await allOf(asked)) as [[string, string], string[]];
    const gone = Number(seconds) * 1_000 - GONE_MS;
    return texts.every((text) => {
      const { success, data } = sign.safeParse(JSON.parse(text));
      return success && (data.features.includes(READS_PINS) || Date.parse(data.seenAt) < gone);
    });
  }

  private key(digest: string): string {
    return pinnedTopologyKey(this.config.redisPrefix, digest);
  }
}
