import type { TopologyNode } from '../domain/topology/topology.js';

/** Labels that name the node that a record belongs to, most telling first. */
const NODE_LABELS = [
  'service.name',
  'service',
  'node',
  'app',
  'job',
  'deployment',
  'container',
] as const;

/** The two random parts that Kubernetes appends to the name of a Deployment's pod. */
const POD_SUFFIX = /-[a-z0-9]{6,10}-[a-z0-9]{5}$/;

/**
 * Assigns records to nodes by their labels: the first label whose value is a node's id, its name, or one of its
 * `attributes.telemetry`; else the pod's name without its random parts. A record of no known node keeps its label's value.
 */
export function nodeNames(
  nodes: readonly TopologyNode[],
): (labels: Readonly<Record<string, string>>) => string | undefined {
  const ids = new Map<string, string>();
  for (const { id, name, attributes } of nodes) {
    const telemetry = attributes['telemetry'];
    const names = Array.isArray(telemetry) ? telemetry : [];
    for (const alias of [id, name, ...names])
      if (typeof alias === 'string' && !ids.has(alias)) ids.set(alias, id);
  }
  for (const { id } of nodes) ids.set(id, id);
  return (labels) => {
    let unknown: string | undefined;
    for (const label of NODE_LABELS) {
      const value = labels[label];
      if (value === undefined || value === '') continue;
      const id = ids.get(value);
      if (id !== undefined) return id;
      unknown ??= value;
    }
    const pod = (labels['k8s.pod.name'] ?? labels['pod'])?.replace(POD_SUFFIX, '');
    return (pod === undefined ? undefined : ids.get(pod)) ?? unknown ?? pod;
  };
}
