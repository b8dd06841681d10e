import { eventTime } from '../../domain/kubernetes/event-time.js';
import { fieldsOf, listOf, textOf } from '../../domain/kubernetes/fields.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';

/** A pod that has been ready for so long has got over what a warning says of it. */
const HEALED_MS = 10 * 60_000;
/** Reasons of events that say that a pod does not run or is not ready yet. */
const PASSING = /^(?:FailedScheduling|Unhealthy|FailedMount|FailedAttachVolume)$/;

/**
 * Whether an event warns of a pod that was not ready then, is ready now, and was never restarted.
 */
export function isHealed(
  { kind, object, namespace }: KubernetesObject,
  { well, now }: { well: ReadonlySet<string>; now: number },
): boolean {
  if (kind !== 'Event' || !PASSING.test(textOf(object['reason']))) return false;
  if (Date.parse(eventTime(object)) > now - HEALED_MS) return false;
  const pod = textOf(fieldsOf(object['involvedObject'] ?? object['regarding'])['name']);
  return well.has(`${namespace ?? ''}/${pod}`);
}

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
