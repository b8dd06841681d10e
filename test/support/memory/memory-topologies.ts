import type { Topology } from '../../../src/domain/topology/topology.js';
import { cardOf, type StoredTopology } from '../../../src/topologies/stored-topology.js';
import type { LoadOutcome, TopologyStore } from '../../../src/topologies/topology-store.js';

type Kept = Map<number, StoredTopology[]>;

/** The part of a `TopologyStore` that the registry and the loader use, in memory. */
class MemoryTopologies {
  private readonly hashes = new Map<number, string>();

  constructor(
    private readonly tenants = new Map<string, Kept>(),
    private readonly tenant = 'default',
  ) {}

  of(tenant: string): MemoryTopologies {
    return new MemoryTopologies(this.tenants, tenant);
  }

  private get kept(): Kept {
    const kept = this.tenants.get(this.tenant) ?? new Map<number, StoredTopology[]>();
    this.tenants.set(this.tenant, kept);
    return kept;
  }

  private write(topology: Topology, owner: string): StoredTopology {
    const before = this.kept.get(topology.id) ?? [];
    const at = new Date(before.length).toISOString();
    const version = before.length + 1;
    const stored = {
      topology,
      owner,
      version,
      tenant: this.tenant,
      createdAt: at,
      updatedAt: at,
    };
    this.kept.set(topology.id, [stored, ...before]);
    return stored;
  }

  async create(topology: Topology, owner = 'anonymous') {
    return this.kept.has(topology.id) ? undefined : this.write(topology, owner);
  }

  async replace(topology: Topology) {
    const [before] = this.kept.get(topology.id) ?? [];
    return before && this.write(topology, before.owner);
  }

  async load(topology: Topology, hash: string): Promise<LoadOutcome> {
    const [before] = this.kept.get(topology.id) ?? [];
    if (before && this.hashes.get(topology.id) === hash)
      return { outcome: 'unchanged', version: before.version };
    this.hashes.set(topology.id, hash);
    return { outcome: 'written', version: this.write(topology, 'anonymous').version };
  }

  async get(id: number) {
    return this.kept.get(id)?.[0];
  }

  async version(id: number, version: number) {
    return this.kept.get(id)?.find((one) => one.version === version);
  }

  async versions(id: number) {
    return this.kept.get(id) ?? [];
  }

  async remove(id: number) {
    return this.kept.delete(id);
  }

  async list(after: number, limit: number) {
    const ids = [...this.kept.keys()].filter((id) => id > after).sort((a, b) => a - b);
    const items = ids.slice(0, limit).flatMap((id) => this.kept.get(id)?.[0] ?? []);
    return {
      items: items.map(({ topology, version, createdAt, updatedAt }) => ({
        ...cardOf(topology),
        version,
        createdAt,
        updatedAt,
      })),
      next: ids.length > limit ? (ids[limit - 1] ?? null) : null,
    };
  }
}

export const memoryTopologies = (): TopologyStore =>
  new MemoryTopologies() as unknown as TopologyStore;
