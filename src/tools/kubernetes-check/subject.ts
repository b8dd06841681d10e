import type { KubernetesObject } from '../../domain/engine/records.js';
import {
  EVERYTHING,
  selectObjects,
  workloadIn,
  type Workload,
} from '../../domain/kubernetes/workload.js';
import type { KubernetesSource } from '../../sources/ports.js';
import type { ToolContext } from '../tool.js';

/** Which objects are a node's. */
export interface Subject {
  text: string;
  workload?: Workload;
  own(objects: readonly KubernetesObject[]): ReadonlySet<KubernetesObject>;
}

/** By the node's selector, else by its id. A node of kind `kubernetes`, and the only node of a topology, have all objects. */
export function subjectOf({ node, nodes }: ToolContext, source: KubernetesSource): Subject {
  const selector = source.selectorOf(node.id);
  const whole = node.kind === 'kubernetes' || (selector === undefined && nodes.length === 1);
  const text = whole ? EVERYTHING : (selector ?? node.id);
  const workload = workloadIn(text);
  return { text, ...(workload && { workload }), own: (objects) => selectObjects(text, objects) };
}
