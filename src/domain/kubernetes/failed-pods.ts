import {
  ageMs,
  type Cluster,
  conditionOf,
  finding,
  isOwnedBy,
  type KubernetesFinding,
  type Resource,
} from './cluster.js';
import { ageText } from './event-time.js';
import { fieldsOf, listOf, textOf } from './fields.js';

/** A restart or an end before that time is no longer relevant. */
export const LATELY_MS = 3_600_000;

/**
 * Whether a pod failed and the failure is over: it failed long ago, or the job that made it
 * completed with another pod.
 */
export function isPastFailure(pod: Resource, cluster: Cluster): boolean {
  if (pod.status['phase'] !== 'Failed') return false;
  const isDone = cluster
    .all('Job')
    .some(
      (job) =>
        job.namespace === pod.namespace &&
        isOwnedBy(pod, 'Job', job.name) &&
        conditionOf(job, 'Complete')?.['status'] === 'True',
    );
  return isDone || sinceFailure(pod, cluster) > LATELY_MS;
}

/**
 * A failed pod stays until the garbage collector removes it, which keeps 12,500 by default. Its
 * controller has made another pod, which is judged separately; a pod without a controller is not
 * replaced.
 */
export function analyzePastFailure(pod: Resource, cluster: Cluster): KubernetesFinding | undefined {
  if (listOf(pod.metadata['ownerReferences']).length > 0) return undefined;
  const what = textOf(pod.status['reason']) === 'Evicted' ? 'was evicted' : 'failed';
  return {
    ...finding(
      pod,
      'info',
      'advisory',
      `${what} ${ageText(sinceFailure(pod, cluster))} ago and was not replaced`,
    ),
    detail: textOf(pod.status['message']),
  };
}

/** ms since the last known time of a failed pod: an eviction itself has no time. */
function sinceFailure(pod: Resource, cluster: Cluster): number {
  const { metadata, status } = pod;
  const ends = listOf(status['containerStatuses']).map(
    ({ state }) => fieldsOf(fieldsOf(state)['terminated'])['finishedAt'],
  );
  const turns = listOf(status['conditions']).map(({ lastTransitionTime }) => lastTransitionTime);
  const times = [cluster.warnedAt(pod), ...ends, ...turns, status['startTime']];
  const ages = [...times, metadata['creationTimestamp']].map((time) => ageMs(time, cluster.now));
  const known = ages.filter((age) => !Number.isNaN(age));
  return known.length === 0 ? 0 : Math.min(...known);
}
