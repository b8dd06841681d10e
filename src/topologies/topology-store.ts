import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { SecretBox } from '../config/secret-box.js';
import { ConsiliumError } from '../domain/errors.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import type { Topology } from '../domain/topology/topology.js';
import { cardOf, type StoredTopology } from './stored-topology.js';
import type { TopologyCard, TopologyMeta } from './topology-views.js';
import { topologyKeys, type TopologyKeys } from '../redis/keys.js';
import { REMOVE_TOPOLOGY, WRITE_TOPOLOGY } from './topology-scripts.js';

const ANONYMOUS = 'anonymous';
/** Versions of a topology that are kept, the current one included. */
const VERSIONS_KEPT = 20;

const RETRY_SECONDS = 60;

export interface TopologyStoreSettings {
  box: SecretBox;
  /** Topologies that a tenant may create; 0: no limit. */
  most: number;
  /** Whether credentials are stored even if there is no key to seal them with. */
  unsealed: boolean;
}

/** `deleted`: the file is unchanged, and its topology was deleted through the API. */
export type LoadOutcome =
  { outcome: 'written' | 'unchanged'; version: number } | { outcome: 'deleted' };

/**
 * The topologies of one tenant in Redis; tenants may use the same ids. Each write is one atomic
 * script, and times are those of Redis. The last {@link VERSIONS_KEPT} versions are stored; a run
 * stores a copy of its topology.
 */
export class TopologyStore {
  private readonly keys: TopologyKeys;

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly settings: TopologyStoreSettings = {
      box: SecretBox.of(''),
      most: 0,
      unsealed: true,
    },
    private readonly tenant = DEFAULT_TENANT,
  ) {
    this.keys = topologyKeys(prefix, tenant);
  }

  /** The topologies of a tenant. */
  of(tenant: string): TopologyStore {
    return new TopologyStore(this.redis, this.prefix, this.settings, tenant);
  }

  /** Whether a topology of a client must refer to its credentials. */
  get needsReferences(): boolean {
    return !this.settings.unsealed && !this.settings.box.seals;
  }

  /**
   * Creates a topology. Returns undefined if the id exists.
   * @throws ConsiliumError RATE_LIMITED if the tenant has too many
   */
  async create(topology: Topology, owner = ANONYMOUS): Promise<StoredTopology | undefined> {
    const { outcome, ...stored } = await this.write('create', topology, owner);
    if (outcome === 'full') throw tooMany(this.settings.most);
    return outcome === 'written' ? { topology, tenant: this.tenant, ...stored } : undefined;
  }

  /**
   * Replaces a topology. Returns undefined if the id does not exist. Keeps the owner, and always
   * increments the version.
   */
  async replace(topology: Topology): Promise<StoredTopology | undefined> {
    const { outcome, ...stored } = await this.write('replace', topology, ANONYMOUS);
    return outcome === 'written' ? { topology, tenant: this.tenant, ...stored } : undefined;
  }

  /**
   * Stores the topology of a file if it has changed: see {@link WRITE_TOPOLOGY}. Of several
   * processes that start together, one writes and the others find it unchanged.
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
      topology: this.opened(topology),
      tenant: this.tenant,
      owner: owner ?? ANONYMOUS,
      ...readMeta(meta),
    };
  }

  /** Deletes a topology; runs that store a copy continue. Returns whether it existed. */
  async remove(id: number): Promise<boolean> {
    return (
      (await this.redis.eval(
        REMOVE_TOPOLOGY,
        3,
        this.keys.record(id),
        this.keys.index,
        this.keys.history(id),
        id,
      )) === 1
    );
  }

  /** A version that is still kept, whether it is the current one or not. */
  async version(id: number, version: number): Promise<StoredTopology | undefined> {
    const current = await this.get(id);
    if (!current || current.version === version) return current;
    const text = await this.redis.hget(this.keys.history(id), String(version));
    return text === null ? undefined : { ...current, ...this.readVersion(version, text) };
  }

  /**
   * The versions that are still kept, newest first. Of a topology that was stored before versions
   * were kept: the current one.
   */
  async versions(id: number): Promise<StoredTopology[]> {
    const current = await this.get(id);
    if (!current) return [];
    const kept = await this.redis.hgetall(this.keys.history(id));
    const older = Object.entries(kept)
      .map(([version, text]) => ({ ...current, ...this.readVersion(Number(version), text) }))
      .filter(({ version }) => version < current.version);
    return [current, ...older.toSorted((a, b) => b.version - a.version)];
  }

  /**
   * Returns a page by ascending id, after `after`. Concurrent writes cause no topology to be missed
   * or returned twice.
   *
   * @returns `next`: the `after` of the next page, or null
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

  private opened(text: string): Topology {
    return this.settings.box.open(JSON.parse(text) as Topology, this.tenant);
  }

  /** @param text `updatedAt` (ms), a line feed, and the topology */
  private readVersion(
    version: number,
    text: string,
  ): Pick<StoredTopology, 'topology' | 'version' | 'updatedAt'> {
    const at = text.indexOf('\n');
    return {
      topology: this.opened(text.slice(at + 1)),
      version,
      updatedAt: toIso(text.slice(0, at)),
    };
  }

  private async write(
    mode: 'create' | 'replace' | 'file',
    topology: Topology,
    owner: string,
    hash = '',
  ): Promise<TopologyMeta & { outcome: string; owner: string }> {
    const { record, index, versions, files, history } = this.keys;
    const written = JSON.stringify(this.settings.box.seal(topology, this.tenant));
    const card = JSON.stringify(cardOf(topology));
    const keys = [record(topology.id), index, versions, files, history(topology.id)];
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
      VERSIONS_KEPT,
      this.settings.most,
    );
    const [outcome = '', version = '0', createdAt = '0', updatedAt = '0', keeper = ANONYMOUS] =
      answer as string[];
    return { outcome, owner: keeper, ...readMeta([version, createdAt, updatedAt]) };
  }
}

const tooMany = (most: number): ConsiliumError =>
  new ConsiliumError('RATE_LIMITED', `Your tenant may have ${most} topologies; delete one first`, {
    retryAfterSeconds: RETRY_SECONDS,
    details: { limit: most, usage: most },
    limit: 'topologies',
  });

/** A refused write has none of these; its numbers are not used. */
function readMeta([version, createdAt, updatedAt]: readonly (string | null)[]): TopologyMeta {
  return { version: Number(version), createdAt: toIso(createdAt), updatedAt: toIso(updatedAt) };
}

const toIso = (ms: string | null | undefined): string => new Date(Number(ms ?? 0)).toISOString();
