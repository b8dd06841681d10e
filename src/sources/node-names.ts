import { nodeFinder } from '../domain/engine/find-node.js';
import type { TopologyNode } from '../domain/topology/topology.js';

/**
 * Assigns records to nodes by their labels, as `nodeFinder` reads them: by id, name, or one of `attributes.telemetry`. A record of
 * no known node keeps its label's value.
 */
export function nodeNames(
  nodes: readonly TopologyNode[],
): (labels: Readonly<Record<string, string>>) => string | undefined {
  const { find, unknown } = nodeFinder(
    nodes.map(({ id, name, attributes }) => {
      const telemetry = attributes['telemetry'];
      const names: unknown[] = Array.isArray(telemetry) ? telemetry : [];
      return { id, names: [name, ...names.filter((each) => typeof each === 'string')] };
    }),
  );
  return (labels) => find(labels) ?? unknown(labels);
}
