import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Topology } from '../domain/topology/topology.js';
import { cardOf, type StoredTopology } from './stored-topology.js';
import type { TopologyCard, TopologyMeta } from './topology-views.js';
import { topologyKeys, type TopologyKeys } from '../redis/keys.js';
import { REMOVE_TOPOLOGY, WRITE_TOPOLOGY } from './topology-scripts.js';

const ANONYMOUS = 'anonymous';

/** `deleted`: the file is as it was when it was last loaded, and the topology was deleted since. */
export type LoadOutcome =
  { outcome: 'written' | 'unchanged'; version: number } | { outcome: 'deleted' };

/**
 * The topologies in Redis, each write one atomic script; times are Redis' own. Only the current version is kept: a run
 * pins a copy of the topology that it started with.
 */
export class TopologyStore {
  private readonly keys: TopologyKeys;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.keys = topologyKeys(prefix);
  }

  /** Undefined when there is one with this id already. */
  async create(topology: Topology, owner = ANONYMOUS): Promise<StoredTopology | undefined> {
    const { outcome, ...stored } = await this.write('create', topology, owner);
    return outcome === 'written' ? { topology, ...stored } : undefined;
  }

  /** Undefined when there is none with this id. Its owner stays. Gives a new version, also to what is the same. */
  async replace(topology: Topology): Promise<StoredTopology | undefined> {
    const { outcome, ...stored } = await this.write('replace', topology, ANONYMOUS);
    return outcome === 'written' ? { topology, ...stored } : undefined;
  }

  /**
   * Stores what a file says, if it says something new: see {@link WRITE_TOPOLOGY}. Processes that start together agree:
   * the first one writes, the others find it unchanged.
   *
   * @param hash of the file's content
   */
  async load(topology: Topology, hash: string, owner = ANONYMOUS): Promise<LoadOutcome> {
    const { outcome, version } = await this.write('file', topology, owner, hash);
    return outcome === 'written' || outcome === 'unchanged'
      ? { outcome, version }
      : { outcome: 'deleted' };
  }

  async get(id: number): Promise<StoredTopology | undefined> {
    const [topology, owner, ...meta] = await this.redis.hmget(
      this.keys.record(id),
      'topology',
      'owner',
      'version',
      'createdAt',
      'updatedAt',
    );
    if (typeof topology !== 'string') return undefined;
    return {
      topology: JSON.parse(topology) as Topology,
      owner: owner ?? ANONYMOUS,
      ...readMeta(meta),
    };
  }

  /** Whether there was one. Runs that pinned it go on. */
  async remove(id: number): Promise<boolean> {
    return (
      (await this.redis.eval(REMOVE_TOPOLOGY, 2, this.keys.record(id), this.keys.index, id)) === 1
    );
  }

  /**
   * A page by ascending id, from the first after `after`. Whatever is written meanwhile, each topology that stays comes
   * exactly once over the pages.
   *
   * @returns `next`: what to give as `after` for the next page; null when there is none
   */
  async list(
    after: number,
    limit: number,
  ): Promise<{ items: TopologyCard[]; next: number | null }> {
    const ids = await this.redis.zrange(
      this.keys.index,
      `(${after}`,
      '+inf',
      'BYSCORE',
      'LIMIT',
      0,
      limit + 1,
    );
    const page = ids.slice(0, limit).map(Number);
    const pipeline = this.redis.pipeline();
    for (const id of page)
      pipeline.hmget(this.keys.record(id), 'card', 'version', 'createdAt', 'updatedAt');
    const answers = (await pipeline.exec()) ?? [];
    const items = answers.flatMap(([error, answer]) => {
      if (error) throw error;
      const [card, ...meta] = answer as (string | null)[];
      // Deleted between the two reads.
      if (typeof card !== 'string') return [];
      return [
        { ...(JSON.parse(card) as Omit<TopologyCard, keyof TopologyMeta>), ...readMeta(meta) },
      ];
    });
    return { items, next: ids.length > limit ? (page.at(-1) ?? null) : null };
  }

  private async write(
    mode: 'create' | 'replace' | 'file',
    topology: Topology,
    owner: string,
    hash = '',
  ): Promise<TopologyMeta & { outcome: string; owner: string }> {
    const { record, index, versions, files } = this.keys;
    const written = JSON.stringify(topology);
    const card = JSON.stringify(cardOf(topology));
    const keys = [record(topology.id), index, versions, files];
    const answer = await this.redis.eval(
      WRITE_TOPOLOGY,
      keys.length,
      ...keys,
      mode,
      topology.id,
      written,
      card,
      owner,
      randomUUID(),
      hash,
    );
    const [outcome = '', version = '0', createdAt = '0', updatedAt = '0', keeper = ANONYMOUS] =
      answer as string[];
    return { outcome, owner: keeper, ...readMeta([version, createdAt, updatedAt]) };
  }
}

/** A refused write has none of these; its numbers are not used. */
function readMeta([version, createdAt, updatedAt]: readonly (string | null)[]): TopologyMeta {
  return { version: Number(version), createdAt: toIso(createdAt), updatedAt: toIso(updatedAt) };
}

const toIso = (ms: string | null | undefined): string => new Date(Number(ms ?? 0)).toISOString();
