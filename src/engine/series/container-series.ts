import type { Observations } from '../observations.js';
import type { Series } from '../../domain/telemetry/records.js';

/** Metrics of one container or pod: of cAdvisor, kube-state-metrics and Docker. */
const OF_CONTAINER = /^(?:container|kube_pod|k8s_pod|pod|docker_container)[._]/;
/** Labels that name the container, or its workload. */
const CONTAINER = ['container', 'container_name', 'k8s.container.name', 'workload', 'name'];
const POD = ['pod', 'pod_name', 'k8s.pod.name'];

/**
 * Assigns series of containers to the nodes of the containers: the label of the machine that
 * measures them only shows where they run.
 */
export function withContainers(series: readonly Series[], nodes: Observations['nodes']): Series[] {
  const ids = nodes.map(({ id }) => id).toSorted((a, b) => b.length - a.length);
  return series.map((each) => {
    const node = OF_CONTAINER.test(each.name) ? workloadOf(each, ids) : undefined;
    return node === undefined || node === each.node ? each : { ...each, node };
  });
}

function workloadOf({ node, labels }: Series, ids: readonly string[]): string | undefined {
  const pods = POD.flatMap((label) => labels[label] ?? []);
  const isOf = (id: string) => pods.some((pod) => pod === id || pod.startsWith(`${id}-`));
  // The node to which the pod belongs: a container beside the main one is a part of it.
  if (node !== undefined && isOf(node)) return node;
  const containers = CONTAINER.flatMap((label) => labels[label] ?? []);
  return ids.find(isOf) ?? ids.find((id) => containers.includes(id));
}
