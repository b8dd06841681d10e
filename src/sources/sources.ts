import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { isJsonObject, isRecord, type Json } from '../lib/json.js';
import type { Topology } from '../domain/topology/topology.js';
import type { Egress } from './http/source-server.js';
import { unlistedSources } from './live/find-listed.js';
import { liveSources } from './live/live-sources.js';
import { checkSource, type SourceState } from './live/check-source.js';
import { type ListedServer, readSourcesFile } from './live/sources-file.js';
import { FOLDERS, isBundle, openBundle } from './recording/bundle.js';
import { withoutSelectors } from './recording/without-selectors.js';
import { OpenBundles } from './recording/open-bundles.js';
import type { SourceSet } from './source-set.js';

const recordedNode = (node: Json, sources: unknown): Json =>
  isJsonObject(node) ? withoutSelectors(node, sources as Json | undefined).node : node;

/** Sets of live sources that are held. */
const MOST_OPEN = 16;
const MOST_AGE_MS = 60_000;
/** A check of the listed servers is shared by all callers within this time. */
const CHECKED_MS = 30_000;

/** Opens the sources that topologies name, and makes topologies of incident bundles. */
@Injectable()
export class Sources {
  private readonly bundles = new OpenBundles();

  private readonly live = new Map<string, { at: number; set: SourceSet }>();

  private readonly listed: readonly ListedServer[];

  private checked: { at: number; states: Promise<SourceState[]> } | undefined;

  /**
   * @throws ConsiliumError VALIDATION_FAILED if SOURCES_FILE has faults: the service does not start
   */
  constructor(
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'incidentsDir' | 'sourcesFile' | 'secretOf'>,
  ) {
    this.listed = readSourcesFile(config.sourcesFile);
  }

  /**
   * The sources of a topology; undefined if it names none.
   * @param tenant of the topology: tenants share nothing that was read from live sources
   * @throws ConsiliumError NOT_FOUND, VALIDATION_FAILED if its bundle cannot be opened; an Error if
   *   it was changed during the run
   */
  async of(
    topology: Topology,
    egress: Egress,
    { tenant, runId }: { tenant: string; runId: string },
  ): Promise<SourceSet | undefined> {
    const { sources = [], nodes } = topology;
    if (sources.length === 0) return undefined;
    const recording = sources.find((source) => source.kind === 'recording');
    if (recording === undefined) return this.liveOf(topology, egress, tenant);
    return this.bundles.of(await this.folderOf(recording.incident), nodes, runId);
  }

  /**
   * The sources of a topology that SOURCES_FILE does not list; none if this process has no such
   * file: another one may have it.
   */
  faultsIn({ sources = [] }: Pick<Topology, 'sources'>): Fault[] {
    return this.config.sourcesFile === undefined ? [] : unlistedSources(sources, this.listed);
  }

  /**
   * Sends a small request to each server of SOURCES_FILE, at most once in 30 seconds however often
   * it is called.
   * @param now ms
   */
  check(egress: Egress, signal: AbortSignal, now = Date.now()): Promise<SourceState[]> {
    if (this.checked !== undefined && now - this.checked.at < CHECKED_MS)
      return this.checked.states;
    const { secretOf } = this.config;
    const states = Promise.all(
      // A signal of its own for each: one with many listeners is taken for a leak.
      this.listed.map((server) =>
        checkSource(server, { egress, secretOf }, AbortSignal.any([signal])),
      ),
    );
    this.checked = { at: now, states };
    states.catch(() => (this.checked = undefined));
    return states;
  }

  /** All tools of a diagnosis share the records; after a minute, the sources are read again. */
  private liveOf({ id, sources, nodes }: Topology, egress: Egress, tenant: string): SourceSet {
    const key = JSON.stringify([tenant, id, sources, nodes.map((node) => [node.id, node.in])]);
    const now = Date.now();
    const known = this.live.get(key);
    if (known !== undefined && now - known.at < MOST_AGE_MS) return known.set;
    const { secretOf } = this.config;
    const given = { nodes, ...(sources && { sources }) };
    const set = liveSources(given, this.listed, { egress, secretOf, now });
    this.live.delete(key);
    this.live.set(key, { at: now, set });
    const [oldest] = this.live.keys();
    if (this.live.size > MOST_OPEN && oldest !== undefined) this.live.delete(oldest);
    return set;
  }

  /**
   * A topology as a client would write it, from the bundle of that name.
   * @throws ConsiliumError NOT_FOUND, VALIDATION_FAILED
   */
  async topologyOf(incident: string): Promise<object> {
    const bundle = await openBundle(await this.folderOf(incident));
    const provides = [...FOLDERS, 'probes' as const].filter(
      (folder) => bundle.files[folder] !== undefined,
    );
    const { title } = bundle.manifest;
    const { nodes, sources, ...given } = isRecord(bundle.topology) ? bundle.topology : {};
    return {
      ...given,
      // A bundle is the only source of its nodes, even if its topology had live sources.
      nodes: Array.isArray(nodes) ? nodes.map((node: Json) => recordedNode(node, sources)) : nodes,
      ...(title !== undefined && { description: title }),
      sources: [{ id: 'recording', kind: 'recording', incident, provides }],
    };
  }

  private async folderOf(incident: string): Promise<string> {
    const { incidentsDir } = this.config;
    // A name, not a path: the bundle is in the mounted folder.
    const named = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(incident);
    const folder = join(incidentsDir ?? '', incident);
    if (incidentsDir === undefined || !named || !(await isBundle(folder)))
      throw new ConsiliumError(
        'NOT_FOUND',
        incidentsDir === undefined
          ? 'No incident bundles are mounted: INCIDENTS_DIR of the service is not set.'
          : `There is no incident bundle "${incident.slice(0, 100)}" in INCIDENTS_DIR.`,
      );
    return folder;
  }
}
