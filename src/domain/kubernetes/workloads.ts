import {
  ageMs,
  type Cluster,
  conditionOf,
  finding,
  isOwnedBy,
  type KubernetesFinding,
  type Resource,
  wordsOf,
} from './cluster.js';
import { ageText } from './event-time.js';
import { LATELY_MS } from './failed-pods.js';
import { fieldsOf, listOf, numberOf, textOf } from './fields.js';
import { type PodRefusal, refusalIn } from './refused-pods.js';

/** Deployments, replica sets, stateful sets, daemon sets, jobs and cron jobs. */
export const analyzeWorkloads = (cluster: Cluster): KubernetesFinding[] => [
  ...cluster.all('Deployment').flatMap(analyzeDeployment),
  ...cluster.all('ReplicaSet').flatMap((set) => analyzeReplicaSet(set, cluster)),
  ...cluster.all('StatefulSet').flatMap((set) => analyzeStatefulSet(set, cluster)),
  ...cluster.all('DaemonSet').flatMap(analyzeDaemonSet),
  ...cluster.all('Job').flatMap((job) => analyzeJob(job, cluster)),
  ...cluster.all('CronJob').flatMap((job) => analyzeCronJob(job, cluster)),
];

/** The next steps for pods that are missing or not ready. */
const UNREADY = { steps: 'unready-pods' };

/** The duration after which the alert of kubernetes-mixin fires. */
const ROLLOUT_MS = 15 * 60_000;

function analyzeDeployment(deployment: Resource): KubernetesFinding[] {
  const { spec, status, metadata } = deployment;
  const wanted = typeof spec['replicas'] === 'number' ? spec['replicas'] : 1;
  const ready = numberOf(status['readyReplicas']);
  const faults = [
    ['Progressing', 'False'],
    ['Available', 'False'],
    ['ReplicaFailure', 'True'],
  ] as const;
  const words = faults.flatMap(([type, bad]) => {
    const condition = conditionOf(deployment, type);
    return condition?.['status'] === bad ? wordsOf(condition) : [];
  });
  if (ready < wanted || words.length > 0) {
    const refusal = refusalIn(words.join('\n'));
    const severity = ready === 0 && wanted > 0 ? 'critical' : 'warning';
    const title = `has ${ready} of ${wanted} replicas ready${refusal?.because ?? ''}`;
    const found = finding(deployment, severity, ['erroring', refusal?.failure], title);
    return [{ ...found, ...(stepsOf(refusal) ?? UNREADY), detail: words.join('; ') }];
  }
  if (numberOf(status['observedGeneration']) < numberOf(metadata['generation']))
    return [
      finding(deployment, 'warning', 'advisory', 'its last change has not been acted on yet'),
    ];
  return spec['paused'] === true ? [finding(deployment, 'info', 'advisory', 'is paused')] : [];
}

function analyzeReplicaSet(set: Resource, cluster: Cluster): KubernetesFinding[] {
  const failure = conditionOf(set, 'ReplicaFailure');
  if (failure?.['status'] !== 'True') return [];
  const warning = cluster.warningOf(set, 'FailedCreate');
  const words = textOf(failure['message']) === '' && warning !== '' ? warning : wordsOf(failure);
  const refusal = refusalIn(words);
  const title = `cannot create its pods${refusal?.because ?? ''}`;
  const found = finding(set, 'critical', ['invalid', refusal?.failure], title);
  return [{ ...found, ...stepsOf(refusal), detail: words }];
}

const stepsOf = (refusal: PodRefusal | undefined) => refusal && { steps: refusal.steps };

function analyzeStatefulSet(set: Resource, cluster: Cluster): KubernetesFinding[] {
  const found: KubernetesFinding[] = [];
  const { spec, namespace, name } = set;
  const service = textOf(spec['serviceName']);
  if (service !== '' && cluster.isMissing('Service', namespace, service))
    found.push(finding(set, 'warning', 'invalid', `its service ${service} does not exist`));
  for (const claim of listOf(spec['volumeClaimTemplates'])) {
    const storage = textOf(fieldsOf(claim['spec'])['storageClassName']);
    if (storage !== '' && cluster.isMissing('StorageClass', '', storage))
      found.push({
        ...finding(
          set,
          'critical',
          ['invalid', 'volume'],
          `its storage class ${storage} does not exist`,
        ),
        steps: 'no-storage-class',
      });
  }
  const wanted = typeof spec['replicas'] === 'number' ? spec['replicas'] : 1;
  // Pods start one after the other: the first that does not run delays the others.
  for (let index = 0; index < Math.min(wanted, 1_000); index += 1) {
    const pod = cluster.find('Pod', namespace, `${name}-${index}`);
    if (pod?.status['phase'] === 'Running' || (!pod && !cluster.hasRead('Pod', namespace)))
      continue;
    const state = pod ? textOf(pod.status['phase']) : 'missing';
    const words = pod ? cluster.warningOf(pod) : '';
    found.push({
      ...finding(set, 'critical', 'erroring', `its pod ${name}-${index} is ${state}`),
      detail: words,
    });
    break;
  }
  return [...found, ...analyzeRollout(set, cluster)];
}

/**
 * A rollout without progress: pods are replaced one after the other, and the last one was created
 * long ago.
 */
function analyzeRollout(set: Resource, cluster: Cluster): KubernetesFinding[] {
  const { spec, status, namespace, name } = set;
  const { type, rollingUpdate } = fieldsOf(spec['updateStrategy']);
  // A partition, and the strategy OnDelete, keep pods of an older revision on purpose.
  const isHeld = type === 'OnDelete' || numberOf(fieldsOf(rollingUpdate)['partition']) > 0;
  if (isHeld || status['currentRevision'] === status['updateRevision']) return [];
  const ages = cluster
    .all('Pod')
    .filter((pod) => pod.namespace === namespace && isOwnedBy(pod, 'StatefulSet', name))
    .map((pod) => ageMs(pod.metadata['creationTimestamp'], cluster.now));
  const since = Math.min(...ages);
  if (!Number.isFinite(since) || since < ROLLOUT_MS) return [];
  const title = `its rollout has not gone on for ${ageText(since)}`;
  const updated = numberOf(status['updatedReplicas']);
  const detail = `${updated} of ${numberOf(status['replicas'])} pods have the new revision.`;
  return [{ ...finding(set, 'warning', 'erroring', title), detail }];
}

function analyzeDaemonSet(set: Resource): KubernetesFinding[] {
  const wanted = numberOf(set.status['desiredNumberScheduled']);
  const ready = numberOf(set.status['numberReady']);
  const misplaced = numberOf(set.status['numberMisscheduled']);
  const found: KubernetesFinding[] = [];
  if (ready < wanted)
    found.push({
      ...finding(
        set,
        ready === 0 ? 'critical' : 'warning',
        'erroring',
        `ready on ${ready} of ${wanted} machines`,
      ),
      ...UNREADY,
    });
  if (misplaced > 0)
    found.push(
      finding(set, 'warning', 'advisory', `runs on ${misplaced} machines where it should not`),
    );
  return found;
}

function analyzeJob(job: Resource, { now }: Cluster): KubernetesFinding[] {
  const failed = conditionOf(job, 'Failed');
  if (failed?.['status'] === 'True') {
    const isPast = ageMs(failed['lastTransitionTime'], now) > LATELY_MS;
    const [severity, symptom] = isPast
      ? (['info', 'advisory'] as const)
      : (['critical', 'erroring'] as const);
    const title = isPast ? `failed at ${textOf(failed['lastTransitionTime'])}` : 'has failed';
    return [{ ...finding(job, severity, symptom, title), detail: wordsOf(failed) }];
  }
  const done = ['Complete', 'SuccessCriteriaMet'].some(
    (type) => conditionOf(job, type)?.['status'] === 'True',
  );
  const failures = numberOf(job.status['failed']);
  if (failures > 0 && !done)
    return [finding(job, 'warning', 'erroring', `has failed ${failures} times so far`)];
  return job.spec['suspend'] === true ? [finding(job, 'info', 'advisory', 'is suspended')] : [];
}

function analyzeCronJob(job: Resource, cluster: Cluster): KubernetesFinding[] {
  const { spec } = job;
  const schedule = textOf(spec['schedule']).replace(/^(?:CRON_TZ|TZ)=\S+ +/, '');
  if (!/^@\w+( \S+)?$|^(\S+ +){4}\S+$/.test(schedule.trim()))
    return [
      {
        ...finding(job, 'critical', 'invalid', 'its schedule is no cron expression'),
        detail: schedule,
      },
    ];
  if (numberOf(spec['startingDeadlineSeconds']) < 0)
    return [finding(job, 'warning', 'invalid', 'its starting deadline is negative')];
  const words = cluster.warningOf(job);
  if (words !== '')
    return [
      { ...finding(job, 'warning', 'erroring', 'is not started as it should be'), detail: words },
    ];
  return spec['suspend'] === true ? [finding(job, 'info', 'advisory', 'is suspended')] : [];
}
