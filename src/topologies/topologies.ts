import { Injectable } from '@nestjs/common';
import { Behaviours } from '../behaviours/behaviours.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { derivedParts, withoutDerived } from '../domain/topology/derived-parts.js';
import { inlineSecrets, redactedAttributes } from '../domain/topology/secrets/redact-topology.js';
import { restoreRedacted } from '../domain/topology/secrets/restore-redacted.js';
import { topologyWarnings } from '../domain/topology/topology-warnings.js';
import type { Topology } from '../domain/topology/topology.js';
import { inDocumentOrder } from '../lib/paths.js';
import type { Steps } from '../lib/steps.js';
import { isMisspelt } from '../lib/text.js';
import { Models } from '../models/models.js';
import { Sources } from '../sources/sources.js';
import { ToolRegistry } from '../tools/tool-registry.js';
import { checkingSteps, invalidTopology } from './check-topology.js';
import { inTurns } from './in-turns.js';
import { cardOf, withoutMeta, type StoredTopology } from './stored-topology.js';
import type { TopologyCard } from './topology-views.js';
import { toCursor, type TopologyListQuery } from './topology-query.js';
import { TopologyStore } from './topology-store.js';

const PAGE = 200;
const MOST_QUERIED = 10_000;
/** Warnings of one sort. */
const MOST_WARNINGS = 20;

/** A topology in its stored form, or why it cannot be stored. */
type CheckedTopology = { topology: Topology } | { faults: readonly Fault[] };

/**
 * The registry of topologies: validates and stores them (contract sections 3 and 9). Another
 * tenant's topology is missing.
 */
@Injectable()
export class Topologies {
  constructor(
    private readonly store: TopologyStore,
    private readonly tools: ToolRegistry,
    private readonly behaviours: Behaviours,
    private readonly models: Models,
    private readonly sources: Sources,
  ) {}

  /**
   * Parses a topology in turns of the event loop.
   * @throws ConsiliumError VALIDATION_FAILED with every fault
   */
  parse(input: unknown): Promise<Topology> {
    return inTurns(this.parsing(input));
  }

  private *parsing(input: unknown): Steps<Topology> {
    const { behaviours, models, sources } = this;
    const known = { tools: this.tools.all, behaviours, models, sources };
    return { ...(yield* checkingSteps(input, known)), derived: derivedParts(input) };
  }

  /**
   * Parses a topology from a client, whose nodes tools must be allowed to connect to. Files of the
   * operator are checked when they are diagnosed.
   * @param before the stored topology, whose passwords may come back redacted, and its derived
   *   agents unchanged
   */
  private reachable(tenant: string, input: unknown, before?: StoredTopology): Promise<Topology> {
    return inTurns(this.reachableSteps(tenant, input, before));
  }

  private *reachableSteps(
    tenant: string,
    input: unknown,
    before: StoredTopology | undefined,
  ): Steps<Topology> {
    const given = before
      ? withoutDerived(yield* restoreRedacted(input, before.topology), before.topology)
      : input;
    const topology = yield* this.parsing(given);
    const faults = redactedAttributes(topology);
    yield;
    faults.push(...this.tools.egressFaults(topology, tenant));
    yield;
    faults.push(...this.tools.referenceFaults(topology, tenant));
    yield;
    if (this.store.needsReferences) faults.push(...inlineSecrets(topology, before?.topology));
    if (faults.length > 0) throw invalidTopology(faults);
    return topology;
  }

  /** Probable mistakes in a valid topology. */
  async warnings(tenant: string, topology: Topology): Promise<Fault[]> {
    const known = await inTurns(topologyWarnings(topology, this.tools.all));
    const denied = this.tools.policyWarnings(topology, tenant).slice(0, MOST_WARNINGS);
    return inDocumentOrder(topology, [...known, ...denied]);
  }

  /**
   * Creates a topology. `{"incident": NAME}` creates it from an incident bundle.
   * @throws ConsiliumError VALIDATION_FAILED, TOPOLOGY_EXISTS, NOT_FOUND, RATE_LIMITED
   */
  async create(tenant: string, body: unknown): Promise<StoredTopology> {
    const topology = await this.reachable(tenant, withoutMeta(await this.expand(body)));
    const stored = await this.store.of(tenant).create(topology);
    if (stored === undefined)
      throw new ConsiliumError(
        'TOPOLOGY_EXISTS',
        `Topology ${topology.id} exists; use PUT to replace it`,
      );
    return stored;
  }

  /**
   * Replaces a topology completely and increments its version; `{"incident": NAME}` as in {@link
   * create}. A redacted password keeps its stored value, and derived agents that
   * come back unchanged are derived again.
   * @throws ConsiliumError TOPOLOGY_NOT_FOUND, VALIDATION_FAILED
   */
  async replace(tenant: string, id: number, body: unknown): Promise<StoredTopology> {
    const before = await this.get(tenant, id);
    const document = withId(withoutMeta(await this.expand(body)), id);
    const given = (document as { id?: unknown } | null | undefined)?.id;
    if (typeof given === 'number' && given !== id) {
      const faults = [{ path: 'id', message: `must be ${id}, as in the path` }];
      throw new ConsiliumError('VALIDATION_FAILED', 'The topology has another id than the path', {
        faults,
      });
    }
    const topology = await this.reachable(tenant, document, before);
    const stored = await this.store.of(tenant).replace(topology);
    return stored ?? notFound(id);
  }

  /**
   * What {@link create} or {@link replace} would store, without storing it, or all faults. A
   * password that comes back redacted is that of the topology with this id.
   */
  async check(tenant: string, body: unknown): Promise<CheckedTopology> {
    try {
      const document = withoutMeta(await this.expand(body));
      const id = (document as { id?: unknown } | null | undefined)?.id;
      const before = Number.isSafeInteger(id)
        ? await this.store.of(tenant).get(id as number)
        : undefined;
      return { topology: await this.reachable(tenant, document, before) };
    } catch (error) {
      const { faults } = error instanceof ConsiliumError ? error : { faults: [] };
      if (faults.length === 0) throw error;
      return { faults };
    }
  }

  /** @throws ConsiliumError TOPOLOGY_NOT_FOUND, also for a version that is no longer kept */
  async version(tenant: string, id: number, version: number): Promise<StoredTopology> {
    await this.get(tenant, id);
    const found = await this.store.of(tenant).version(id, version);
    if (found) return found;
    throw new ConsiliumError(
      'TOPOLOGY_NOT_FOUND',
      `There is no version ${version} of topology ${id}, or it is no longer kept`,
    );
  }

  /** The versions that are kept, newest first. @throws ConsiliumError TOPOLOGY_NOT_FOUND */
  async versions(tenant: string, id: number): Promise<TopologyCard[]> {
    const versions = await this.store.of(tenant).versions(id);
    if (versions.length === 0) notFound(id);
    return versions.map(({ topology, version, createdAt, updatedAt }) => ({
      ...cardOf(topology),
      version,
      createdAt,
      updatedAt,
    }));
  }

  private async expand(body: unknown): Promise<unknown> {
    const incident = (body as { incident?: unknown } | null | undefined)?.incident;
    if (typeof incident === 'string') return this.sources.topologyOf(incident);
    const faults = incidentFaults(body);
    if (faults.length > 0) throw invalidTopology(faults);
    return body;
  }

  /**
   * Returns a topology with its passwords: for runs, not for clients.
   * @throws ConsiliumError TOPOLOGY_NOT_FOUND
   */
  async get(tenant: string, id: number): Promise<StoredTopology> {
    return (await this.store.of(tenant).get(id)) ?? notFound(id);
  }

  /** A page by ascending id. */
  async list(tenant: string, { limit, cursor = 0 }: TopologyListQuery) {
    const { items, next } = await this.store.of(tenant).list(cursor, limit);
    return { items, nextCursor: next === null ? null : toCursor(next) };
  }

  /** A numbered page of the topologies whose names contain a text. @param page from 1 */
  async query(
    tenant: string,
    { page, size, name }: { page: number; size: number; name?: string | null | undefined },
  ) {
    const store = this.store.of(tenant);
    const wanted = name?.toLowerCase() ?? '';
    const found: TopologyCard[] = [];
    for (let after: number | null = 0; after !== null && found.length < MOST_QUERIED;) {
      const { items, next }: { items: TopologyCard[]; next: number | null } = await store.list(
        after,
        PAGE,
      );
      found.push(...items.filter((card) => card.name.toLowerCase().includes(wanted)));
      after = next;
    }
    const items = found.slice((page - 1) * size, page * size);
    return { items, page, size, total: found.length };
  }

  /**
   * Deletes a topology. Runs that started with it continue.
   * @throws ConsiliumError TOPOLOGY_NOT_FOUND
   */
  async remove(tenant: string, id: number): Promise<{ id: number }> {
    return (await this.store.of(tenant).remove(id)) ? { id } : notFound(id);
  }
}

/**
 * The faults of a body that means `{"incident": NAME}`: without it, the parts of a topology would
 * be missing.
 */
function incidentFaults(body: unknown): Fault[] {
  const keys = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (keys.includes('incident'))
    return [{ path: 'incident', message: 'must be the name of an incident bundle' }];
  const meant = keys.includes('nodes')
    ? undefined
    : keys.find((key) => isMisspelt(key, 'incident'));
  return meant === undefined
    ? []
    : [{ path: meant, message: 'unknown key; did you mean "incident"?' }];
}

/** A body without an `id` has the id of the path. */
const withId = (body: unknown, id: number): unknown =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? { id, ...body } : body;

function notFound(id: number): never {
  throw new ConsiliumError('TOPOLOGY_NOT_FOUND', `There is no topology ${id}`);
}
