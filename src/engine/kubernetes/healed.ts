import { eventTime } from '../../domain/kubernetes/event-time.js';
import { fieldsOf, listOf, textOf } from '../../domain/kubernetes/fields.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';

/** After this time of readiness, a warning about a pod no longer applies. */
const HEALED_MS = 10 * 60_000;
/** Reasons of events for a pod that does not run or is not ready yet. */
const PASSING = /^(?:FailedScheduling|Unhealthy|FailedMount|FailedAttachVolume)$/;

/**
 * Whether an event warns about a pod that was not ready then, and is ready now and was never
 * restarted, or was replaced by others that are ready.
 */
export function isHealed(
  { kind, object, namespace }: KubernetesObject,
  { well, now, gone }: PodsNow,
): boolean {
  if (kind !== 'Event' || !PASSING.test(textOf(object['reason']))) return false;
  if (Date.parse(eventTime(object)) > now - HEALED_MS) return false;
  const pod = textOf(fieldsOf(object['involvedObject'] ?? object['regarding'])['name']);
  const key = `${namespace ?? ''}/${pod}`;
  return well.has(key) || gone?.(key) === true;
}

/** The current pods. */
interface PodsNow {
  well: ReadonlySet<string>;
  now: number;
  /** Whether a pod does not exist any more, while all pods that its workload wants are ready. */
  gone?: (key: string) => boolean;
}

/** Whether a workload has as many ready pods as it wants, if one of its objects shows that. */
export const isWhole = (objects: readonly KubernetesObject[]): boolean =>
  objects.some(({ object }) => {
    const { replicas, readyReplicas } = fieldsOf(object['status']);
    return Number(replicas) > 0 && replicas === readyReplicas;
  });

/** Pods that are ready and were never restarted, by namespace and name. */
export function wellPods(objects: readonly KubernetesObject[]): Set<string> {
  const well = objects.filter(({ kind, object }) => {
    const status = fieldsOf(object['status']);
    return (
      kind === 'Pod' &&
      listOf(status['conditions']).some(
        ({ type, status: is }) => type === 'Ready' && is === 'True',
      ) &&
      listOf(status['containerStatuses']).every(
        ({ restartCount }) => Number(restartCount ?? 0) === 0,
      )
    );
  });
  return new Set(well.map(({ namespace, name }) => `${namespace ?? ''}/${name}`));
}
