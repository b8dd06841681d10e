import { basename } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { TopologyNode } from '../../domain/topology/topology.js';
import type { SourceSet } from '../source-set.js';
import { bundleState, openBundle } from './bundle.js';
import { recordedSources } from './recorded-sources.js';

/**
 * Maximum bundles that are kept open, each small since the records stay on disk; and maximum runs
 * with a known state of a bundle.
 */
const MOST_OPEN = 16;
const MOST_RUNS = 1_000;

/** The incident bundles that a process has opened. One whose files have changed is opened again. */
export class OpenBundles {
  private readonly open = new LRUCache<string, { state: string; set: Promise<SourceSet> }>({
    max: MOST_OPEN,
  });

  private readonly states = new LRUCache<string, string>({ max: MOST_RUNS });

  /**
   * @param runId a run reads one state of a bundle
   * @throws ConsiliumError VALIDATION_FAILED if it cannot be opened; an Error if it was changed
   *   during the run
   */
  async of(folder: string, nodes: readonly TopologyNode[], runId: string): Promise<SourceSet> {
    const state = await bundleState(folder);
    const first = this.states.get(runId) ?? state;
    this.states.set(runId, first);
    if (first !== state)
      throw new Error(
        `the incident bundle ${basename(folder)} was changed during the run; run the diagnosis again`,
      );
    const key = JSON.stringify([
      folder,
      nodes.map(({ id, name, attributes }) => [
        id,
        name,
        attributes['telemetry'],
        attributes['kubernetes'],
        attributes['cluster'],
        attributes['recorded'],
      ]),
    ]);
    const known = this.open.get(key);
    if (known?.state === state) return known.set;
    const set = openBundle(folder).then((bundle) => recordedSources(bundle, nodes));
    this.open.set(key, { state, set });
    set.catch(() => this.open.delete(key));
    return set;
  }
}
