import type { KubernetesObject } from '../telemetry/records.js';
import { Cluster, type KubernetesFinding } from './cluster.js';
import { analyzeGateways } from './gateways.js';
import { analyzeInfrastructure } from './infrastructure.js';
import { analyzeNetwork } from './network.js';
import { analyzePods } from './pods.js';
import { analyzeWorkloads } from './workloads.js';

const RANK = { critical: 0, warning: 1, info: 2 } as const;

/**
 * The faults of the objects of a cluster, most severe first. The conditions are those of the core
 * analyzers of k8sgpt (https://github.com/k8sgpt-ai/k8sgpt), with refinements; an object is missing
 * only if its kind was read.
 * @param now ms since 1970: when the objects were read
 * @param kinds that were read, including kinds without objects
 */
export function analyzeKubernetes(
  objects: readonly KubernetesObject[],
  now: number,
  kinds?: ReadonlySet<string>,
): KubernetesFinding[] {
  const cluster = new Cluster(objects, now, kinds);
  return [
    ...analyzePods(cluster),
    ...analyzeWorkloads(cluster),
    ...analyzeNetwork(cluster),
    ...analyzeGateways(cluster),
    ...analyzeInfrastructure(cluster),
  ].toSorted((a, b) => RANK[a.severity] - RANK[b.severity]);
}
