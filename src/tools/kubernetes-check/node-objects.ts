import type { KubernetesObject } from '../../domain/telemetry/records.js';
import {
  EVERYTHING,
  selectObjects,
  workloadIn,
  type Workload,
} from '../../domain/kubernetes/workload.js';

/** The objects of a node. */
export interface NodeObjects {
  text: string;
  workload?: Workload;
  own(objects: readonly KubernetesObject[]): ReadonlySet<KubernetesObject>;
}

export function subjectOf(selector: string): NodeObjects {
  const workload = workloadIn(selector);
  return {
    text: selector === EVERYTHING ? 'the cluster' : selector,
    ...(workload && { workload }),
    own: (objects) => selectObjects(selector, objects),
  };
}

/**
 * `shop/deployment/orders`: a workload with its namespace; undefined where it may be in several.
 */
export function workloadText(
  { workload }: NodeObjects,
  own: ReadonlySet<KubernetesObject>,
  namespaces: readonly string[] = [],
): string | undefined {
  if (workload?.kind === undefined) return undefined;
  const { kind, name } = workload;
  const seen = [...own].flatMap((each) =>
    each.kind === kind && each.name === name ? (each.namespace ?? []) : [],
  );
  const known = workload.namespace === undefined ? seen : [workload.namespace];
  const [namespace, ...others] = new Set(known.length > 0 ? known : namespaces);
  return namespace === undefined || others.length > 0
    ? undefined
    : `${namespace}/${kind.toLowerCase()}/${name}`;
}
