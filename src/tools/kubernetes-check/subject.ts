import type { KubernetesObject } from '../../domain/engine/records.js';
import { selectObjects, workloadIn, type Workload } from '../../domain/kubernetes/workload.js';

/** Which objects are a node's. */
export interface Subject {
  text: string;
  workload?: Workload;
  own(objects: readonly KubernetesObject[]): ReadonlySet<KubernetesObject>;
}

export function subjectOf(text: string): Subject {
  const workload = workloadIn(text);
  return { text, ...(workload && { workload }), own: (objects) => selectObjects(text, objects) };
}
