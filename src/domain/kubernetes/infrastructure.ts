import type { FailureKind } from '../diagnosis/failure-kind.js';
import {
  type Cluster,
  conditionOf,
  finding,
  type KubernetesFinding,
  type Resource,
  wordsOf,
} from './cluster.js';
import { fieldsOf, listOf, numberOf, textOf } from './fields.js';

const MOST_CONFIG = 1024 * 1024;

/**
 * Machines, claims, volumes, storage classes, config maps, quotas, autoscalers and disruption
 * budgets.
 */
export const analyzeInfrastructure = (cluster: Cluster): KubernetesFinding[] => [
  ...cluster.all('Node').flatMap(analyzeNode),
  ...cluster.all('PersistentVolumeClaim').flatMap((claim) => analyzeClaim(claim, cluster)),
  ...cluster.all('PersistentVolume').flatMap(analyzeVolume),
  ...analyzeDefaults(cluster.all('StorageClass')),
  ...cluster.all('ConfigMap').flatMap(analyzeConfigMap),
  ...cluster.all('ResourceQuota').flatMap(analyzeQuota),
  ...cluster.all('HorizontalPodAutoscaler').flatMap((scaler) => analyzeScaler(scaler, cluster)),
  ...cluster.all('PodDisruptionBudget').flatMap(analyzeBudget),
];

/**
 * Conditions that indicate a fault if they are true. Those of other programs
 * (node-problem-detector) count only in this form, too.
 */
const HARMLESS = new Set(['Ready', 'EtcdIsVoter']);

/** The resources that a machine lacks. */
const PRESSURES: ReadonlyMap<string, FailureKind> = new Map([
  ['DiskPressure', 'disk-full'],
  ['MemoryPressure', 'memory'],
  ['PIDPressure', 'capacity'],
]);

function analyzeNode(node: Resource): KubernetesFinding[] {
  const ready = conditionOf(node, 'Ready');
  // If a machine does not report, its pressures are unknown: one finding covers everything.
  if (ready?.['status'] !== 'True')
    return [
      {
        ...finding(node, 'critical', ['unreachable', 'infrastructure'], 'is not ready'),
        detail: ready ? wordsOf(ready) : '',
      },
    ];
  const found = listOf(node.status['conditions'])
    .filter(({ type, status }) => !HARMLESS.has(textOf(type)) && status !== 'False')
    .map((condition) => ({
      ...finding(
        node,
        condition['status'] === 'True' ? 'critical' : 'warning',
        ['saturated', PRESSURES.get(textOf(condition['type']))],
        `${textOf(condition['type'])} is ${textOf(condition['status'])}`,
      ),
      detail: wordsOf(condition),
    }));
  if (node.spec['unschedulable'] === true)
    found.push(finding(node, 'info', 'advisory', 'takes no new pods (cordoned)'));
  for (const { key, effect } of listOf(node.spec['taints']))
    // Taints of Kubernetes itself follow from its conditions.
    if (effect === 'NoExecute' && !textOf(key).startsWith('node.kubernetes.io/'))
      found.push(
        finding(node, 'info', 'advisory', `its taint ${textOf(key)} evicts pods (NoExecute)`),
      );
  return found;
}

function analyzeClaim(claim: Resource, cluster: Cluster): KubernetesFinding[] {
  const { phase } = claim.status;
  if (phase === 'Lost')
    return [finding(claim, 'critical', ['invalid', 'volume'], 'its volume is lost')];
  if (phase !== 'Pending') return [];
  const storage = textOf(claim.spec['storageClassName']);
  const words = cluster.warningOf(claim);
  const isMissing = storage !== '' && cluster.isMissing('StorageClass', '', storage);
  // A class that waits for the first pod leaves its claims pending until then, without a warning.
  if (words === '' && !isMissing) return [];
  const why = isMissing ? `: its storage class ${storage} does not exist` : '';
  const found = finding(claim, 'critical', ['invalid', 'volume'], `has no volume${why}`);
  const steps = isMissing ? 'no-storage-class' : 'unbound-claim';
  return [{ ...found, steps, detail: words }];
}

function analyzeVolume(volume: Resource): KubernetesFinding[] {
  const { phase, message } = volume.status;
  if (phase === 'Failed')
    return [
      {
        ...finding(volume, 'warning', ['invalid', 'volume'], 'could not be reclaimed'),
        detail: textOf(message),
      },
    ];
  return phase === 'Released'
    ? [finding(volume, 'info', 'advisory', 'has lost its claim, and is kept until it is removed')]
    : [];
}

/**
 * If there are several default classes, a claim without a class gets the newest, before Kubernetes
 * 1.26 none.
 */
function analyzeDefaults(classes: readonly Resource[]): KubernetesFinding[] {
  const defaults = classes.filter(
    ({ metadata }) =>
      fieldsOf(metadata['annotations'])['storageclass.kubernetes.io/is-default-class'] === 'true',
  );
  const [first] = defaults;
  if (first === undefined || defaults.length === 1) return [];
  const names = defaults.slice(0, 5).map(({ name }) => name);
  const title = `is one of ${defaults.length} default storage classes`;
  return [
    { ...finding(first, 'warning', 'advisory', title), detail: `They are ${names.join(', ')}.` },
  ];
}

function analyzeConfigMap(map: Resource): KubernetesFinding[] {
  const entries = ['data', 'binaryData'].flatMap((part) =>
    Object.entries(fieldsOf(map.object[part])),
  );
  if (entries.length === 0) return [finding(map, 'info', 'advisory', 'is empty')];
  const size = entries.reduce(
    (sum, [key, value]) => sum + key.length + (typeof value === 'string' ? value.length : 0),
    0,
  );
  return size > MOST_CONFIG
    ? [finding(map, 'warning', 'advisory', 'is larger than 1 MiB, which the API refuses')]
    : [];
}

function analyzeQuota(quota: Resource): KubernetesFinding[] {
  const used = fieldsOf(quota.status['used']);
  const full = Object.entries(fieldsOf(quota.status['hard'])).filter(
    ([resource, hard]) => textOf(hard) !== '0' && textOf(used[resource]) === textOf(hard),
  );
  const names = full.map(([resource, hard]) => `${resource} ${textOf(hard)}`);
  return names.length === 0
    ? []
    : [
        finding(
          quota,
          'warning',
          ['saturated', 'capacity'],
          `is used up: ${names.slice(0, 10).join(', ')}`,
        ),
      ];
}

function analyzeScaler(scaler: Resource, cluster: Cluster): KubernetesFinding[] {
  const target = fieldsOf(scaler.spec['scaleTargetRef']);
  const [kind, name] = [textOf(target['kind']), textOf(target['name'])];
  if (cluster.isMissing(kind, scaler.namespace, name))
    return [finding(scaler, 'critical', 'invalid', `its target ${kind} ${name} does not exist`)];
  const bad = listOf(scaler.status['conditions']).filter(({ type, status, reason }) =>
    type === 'ScalingLimited'
      ? status === 'True' && reason !== 'TooFewReplicas'
      : status === 'False',
  );
  const limited = bad.filter(({ type }) => type === 'ScalingLimited' && isAtMost(scaler));
  const broken = bad.filter(({ type }) => type !== 'ScalingLimited');
  const most = numberOf(scaler.spec['maxReplicas']);
  return [
    // One cause may make several conditions false.
    ...broken.slice(0, 1).map(() => ({
      ...finding(scaler, 'warning', 'invalid', 'cannot scale'),
      detail: broken.map(wordsOf).join('; '),
    })),
    ...limited.map((condition) => ({
      ...finding(scaler, 'warning', 'saturated', `wants more than its ${most} replicas`),
      detail: wordsOf(condition),
    })),
  ];
}

const isAtMost = ({ spec, status }: Resource): boolean =>
  numberOf(status['currentReplicas']) >= numberOf(spec['maxReplicas']);

function analyzeBudget(budget: Resource): KubernetesFinding[] {
  const { status } = budget;
  if (numberOf(status['expectedPods']) === 0 || numberOf(status['disruptionsAllowed']) > 0)
    return [];
  const healthy = `${numberOf(status['currentHealthy'])} healthy, ${numberOf(status['desiredHealthy'])} desired`;
  return [
    {
      ...finding(budget, 'info', 'advisory', 'allows no disruption: machines cannot be drained'),
      detail: healthy,
    },
  ];
}
