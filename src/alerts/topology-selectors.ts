import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { inTenant } from '../domain/tenant.js';
import { Topologies } from '../topologies/topologies.js';
import { selectorsOfTopology, type NodeSelector } from './route-alerts.js';

const PAGE = 200;
/** Maximum number of topologies that alerts are compared with. */
const MOST_TOPOLOGIES = 1_000;

/**
 * The selectors of the nodes of all topologies of a tenant. A topology is read again when its
 * version changes.
 */
@Injectable()
export class TopologySelectors {
  private readonly known = new LRUCache<string, NodeSelector[]>({ max: MOST_TOPOLOGIES });

  constructor(private readonly topologies: Topologies) {}

  /** By ascending id of the topology. */
  async all(tenant: string): Promise<NodeSelector[]> {
    const found: NodeSelector[] = [];
    let cursor: number | undefined;
    for (let read = 0; read < MOST_TOPOLOGIES; read += PAGE) {
      const { items, nextCursor } = await this.topologies.list(tenant, { limit: PAGE, cursor });
      for (const { id, version } of items) found.push(...(await this.of(tenant, id, version)));
      if (nextCursor === null) break;
      cursor = items.at(-1)?.id;
    }
    return found;
  }

  private async of(tenant: string, id: number, version: number): Promise<NodeSelector[]> {
    const key = inTenant(tenant, `${id}:${version}`);
    const known = this.known.get(key);
    if (known) return known;
    // It may be deleted between the two reads.
    const selectors = await this.topologies.get(tenant, id).then(
      ({ topology }) => selectorsOfTopology(topology),
      () => [],
    );
    this.known.set(key, selectors);
    return selectors;
  }
}
