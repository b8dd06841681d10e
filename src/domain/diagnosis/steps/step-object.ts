import { objectIn } from '../../kubernetes/object-text.js';
import { workloadIn } from '../../kubernetes/workload.js';
import type { Finding, RootCause } from '../finding.js';
import type { CommandTarget } from './command-target.js';

/** Kinds that contain pods or are pods: the object that their node selects is used. */
const WORKLOADS = /^(?:pod|replicaset|deployment|statefulset|daemonset|job|cronjob)$/;

/** Commands about an object that only some kinds have. */
const FOR_RESOURCE: readonly [command: RegExp, kinds: RegExp][] = [
  [/\bkubectl rollout /, /^(?:deployment|statefulset|daemonset)$/],
  [/\bkubectl (?:logs|exec) /, /^(?:pod|replicaset|deployment|statefulset|daemonset|job|service)$/],
];

export const fitsResource = (command: string, { resource }: CommandTarget['values']): boolean =>
  resource === undefined ||
  FOR_RESOURCE.every(([of, kinds]) => !of.test(command) || kinds.test(resource));

/** An object as kubectl reads it: `-n shop deployment/orders`, its kind, name and namespace. */
function valuesOf({ kind, name, namespace }: NonNullable<ReturnType<typeof objectIn>>) {
  const resource = kind.toLowerCase();
  const scope = namespace === undefined ? '' : `-n ${namespace} `;
  return { workload: `${scope}${resource}/${name}`, resource, name, namespace };
}

/** The workload that a node selects. */
export function workloadValues(selector: unknown): CommandTarget['values'] {
  const workload = workloadIn(typeof selector === 'string' ? selector : '');
  return workload?.kind === undefined ? {} : valuesOf({ ...workload, kind: workload.kind });
}

type Failure = Pick<RootCause, 'node' | 'kind' | 'object'>;

/** The object of Kubernetes of a failure: its own, or that of a finding of its kind. */
function objectOf({ node, kind, object }: Failure, findings: readonly Finding[]) {
  const found =
    object ??
    findings.find((each) => each.node === node && each.kind === kind && each.object !== undefined)
      ?.object;
  return found === undefined ? undefined : objectIn(found);
}

/**
 * A node with the object of Kubernetes of one of its failures, if the node represents other
 * objects, too.
 */
export function atObject(
  at: CommandTarget,
  failure: Failure,
  findings: readonly Finding[],
): CommandTarget {
  const object = objectOf(failure, findings);
  if (object === undefined) return at;
  const values = valuesOf(object);
  const hasOwn = at.values['workload'] !== undefined;
  if (hasOwn && WORKLOADS.test(values.resource)) return at;
  const name = `${object.kind} ${object.name}`;
  return {
    ...at,
    // A node that represents one object has the object's name, whichever of its parts is faulty.
    node: hasOwn && object.namespace !== undefined ? at.node : { ...at.node, name },
    values: { ...at.values, ...values },
  };
}
