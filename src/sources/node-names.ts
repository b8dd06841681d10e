import { nodeFinder, telemetryNames } from '../engine/find-node.js';
import type { TopologyNode } from '../domain/topology/topology.js';

/**
 * Assigns records to nodes by their labels, as `nodeFinder` reads them: by id, name, or one of
 * `attributes.telemetry`. A record of no known node keeps its label's value.
 */
export function nodeNames(
  nodes: readonly TopologyNode[],
): (labels: Readonly<Record<string, string>>) => string | undefined {
  const { find, unknown } = nodeFinder(
    nodes.map((node) => ({ id: node.id, names: [node.name, ...telemetryNames(node)] })),
  );
  return (labels) => find(labels) ?? unknown(labels);
}
