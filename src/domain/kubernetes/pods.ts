import type { FailureKind } from '../diagnosis/failure-kind.js';
import type { Symptom } from '../diagnosis/finding.js';
import { joinSentences } from '../../lib/text.js';
import {
  ageMs,
  type Cluster,
  conditionOf,
  finding,
  type KubernetesFinding,
  type Resource,
  wordsOf,
} from './cluster.js';
import { type Fields, fieldsOf, listOf, numberOf, textOf } from './fields.js';
import { analyzePastFailure, isPastFailure, LATELY_MS } from './failed-pods.js';
import { ageText } from './event-time.js';
import { analyzeInitContainers } from './init-containers.js';
import { missingIn } from './missing-object.js';
import { type WrongPort, wrongProbePort } from './probes.js';

/**
 * Reasons for which a container waits and will not start without help, in the spelling of the
 * kubelet, and their meaning.
 */
const STUCK: Readonly<Record<string, readonly [Symptom, FailureKind?]>> = {
  CrashLoopBackOff: ['erroring', 'crash-loop'],
  ImagePullBackOff: ['invalid', 'image-pull'],
  ErrImagePull: ['invalid', 'image-pull'],
  ErrImageNeverPull: ['invalid', 'image-pull'],
  InvalidImageName: ['invalid', 'image-pull'],
  ImageInspectError: ['invalid', 'image-pull'],
  CreateContainerConfigError: ['invalid', 'config'],
  CreateContainerError: ['invalid'],
  RunContainerError: ['invalid', 'bad-command'],
  PreCreateHookError: ['invalid'],
  PreStartHookError: ['invalid'],
};
/** Reasons for which a container ended. */
const ENDED: Readonly<Record<string, FailureKind>> = {
  OOMKilled: 'out-of-memory',
  StartError: 'bad-command',
  ContainerCannotRun: 'bad-command',
};
const MISSING_CONFIG = { steps: 'missing-config' };
/** Creating containers takes seconds, with a large image a minute. */
const CREATING_MS = 120_000;

/** The first fault of each pod. Conditions of the k8sgpt analyzer for pods, and further ones. */
export const analyzePods = (cluster: Cluster): KubernetesFinding[] =>
  cluster.all('Pod').flatMap((pod) => analyzePod(pod, cluster) ?? []);

function analyzePod(pod: Resource, cluster: Cluster): KubernetesFinding | undefined {
  const phase = pod.status['phase'];
  if (phase === 'Succeeded') return undefined;
  if (isPastFailure(pod, cluster)) return analyzePastFailure(pod, cluster);
  if (pod.status['reason'] === 'Evicted')
    return {
      ...finding(pod, 'warning', 'saturated', 'was evicted'),
      detail: textOf(pod.status['message']),
    };
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (phase === 'Pending' && scheduled?.['status'] === 'False') {
    const words =
      textOf(scheduled['message']) === ''
        ? cluster.warningOf(pod, 'FailedScheduling') || wordsOf(scheduled)
        : wordsOf(scheduled);
    const symptom = words.includes('Insufficient') ? 'saturated' : 'invalid';
    const failure = /persistentvolumeclaim/i.test(words) ? 'volume' : 'unschedulable';
    return {
      ...finding(pod, 'critical', [symptom, failure], 'cannot be scheduled'),
      ...(failure === 'volume' && { steps: 'unbound-claim' }),
      detail: words,
    };
  }
  const containers = [
    ...listOf(pod.status['initContainerStatuses']),
    ...listOf(pod.status['containerStatuses']),
  ];
  for (const container of containers) {
    const found = analyzeContainer(container, pod, cluster);
    if (found) return found;
  }
  return analyzeInitContainers(pod, cluster) ?? analyzeWhole(pod, containers, cluster);
}

function analyzeContainer(
  container: Fields,
  pod: Resource,
  cluster: Cluster,
): KubernetesFinding | undefined {
  const state = fieldsOf(container['state']);
  const waiting = fieldsOf(state['waiting']);
  const reason = textOf(waiting['reason']);
  const name = textOf(container['name']);
  const stuck = Object.hasOwn(STUCK, reason) ? STUCK[reason] : undefined;
  if (stuck) {
    const last = fieldsOf(fieldsOf(container['lastState'])['terminated']);
    const ended = endOf(last);
    const restarts = numberOf(container['restartCount']);
    const why = ended === '' ? '' : `: ${ended}, ${restarts} restarts`;
    const said = textOf(waiting['message']);
    const warning = cluster.warningOf(pod, 'Unhealthy');
    const wrong = reason === 'CrashLoopBackOff' ? wrongProbePort(pod, warning) : undefined;
    if (wrong) return ofWrongPort(pod, `container ${name} is in ${reason}`, wrong, warning);
    const [symptom, failure] = stuck;
    const missing = missingIn(said);
    return {
      ...finding(
        pod,
        'critical',
        [
          last['reason'] === 'OOMKilled' ? 'saturated' : symptom,
          kindOfEnd(last) ?? (isOfMount(said) ? kindOfMount(missing) : failure),
        ],
        `container ${name} is in ${reason}${why}${missing}`,
      ),
      ...(missing !== '' && MISSING_CONFIG),
      detail:
        failure === 'image-pull'
          ? whyNotPulled(container, said, pod, cluster)
          : said || cluster.warningOf(pod, 'Failed'),
    };
  }
  const terminated = fieldsOf(state['terminated']);
  if (numberOf(terminated['exitCode']) !== 0) {
    const symptom = terminated['reason'] === 'OOMKilled' ? 'saturated' : 'erroring';
    const title = `container ${name} ended: ${endOf(terminated)}`;
    return {
      ...finding(pod, 'critical', [symptom, kindOfEnd(terminated)], title),
      detail: textOf(terminated['message']),
    };
  }
  if (reason !== 'ContainerCreating' && reason !== 'PodInitializing') return undefined;
  const warning = cluster.warningOf(
    pod,
    'FailedMount',
    'FailedCreatePodSandBox',
    'FailedAttachVolume',
  );
  if (warning !== '') {
    const missing = missingIn(warning);
    const failure = warning.startsWith('FailedCreatePodSandBox') ? undefined : kindOfMount(missing);
    const title = `container ${name} cannot be created${missing}`;
    return {
      ...finding(pod, 'critical', ['invalid', failure], title),
      ...(missing !== '' && MISSING_CONFIG),
      detail: warning,
    };
  }
  const age = ageMs(pod.metadata['creationTimestamp'], cluster.now);
  if (reason !== 'ContainerCreating' || !(age > CREATING_MS)) return undefined;
  const volumes = volumesOf(pod);
  const isOfClaims = volumes.every((volume) => volume.startsWith('claim '));
  const failure = isOfClaims ? 'volume' : 'config';
  const title = `container ${name} has been waiting to be created for ${ageText(age)}`;
  return {
    ...finding(pod, 'warning', ['invalid', volumes.length === 0 ? undefined : failure], title),
    steps: 'waiting-container',
    detail: `It needs ${volumes.join(', ') || 'no volume'}.`,
  };
}

/** The image, and the message of the registry or the runtime about it. */
function whyNotPulled(container: Fields, said: string, pod: Resource, cluster: Cluster): string {
  const spec = [...listOf(pod.spec['initContainers']), ...listOf(pod.spec['containers'])].find(
    ({ name }) => name === container['name'],
  );
  const image = textOf(spec?.['image']) || textOf(container['image']);
  const why = [cluster.warningOf(pod, 'Failed', 'InspectFailed', 'ErrImageNeverPull'), said].find(
    (each) => each !== '',
  );
  const named = image === '' || why?.includes(image) === true ? '' : `Its image is ${image}.`;
  return joinSentences(named, why ?? '');
}

/** @param state of the pod that the faulty probe causes */
function ofWrongPort(
  pod: Resource,
  state: string,
  { probe, port, listed }: WrongPort,
  detail: string,
): KubernetesFinding {
  const title = `${state}, but its ${probe} probe asks port ${port}, which is not one of its ports (${listed.join(', ')})`;
  return {
    ...finding(pod, 'critical', ['invalid', 'config'], title),
    steps: 'probe-port',
    detail,
  };
}

/** Faults of the pod that do not belong to a container that waits or has ended. */
function analyzeWhole(
  pod: Resource,
  containers: readonly Fields[],
  cluster: Cluster,
): KubernetesFinding | undefined {
  const deleted = ageMs(pod.metadata['deletionTimestamp'], cluster.now);
  if (deleted > 60_000)
    return finding(pod, 'warning', 'erroring', `should have ended ${ageText(deleted)} ago`);
  const ready = conditionOf(pod, 'Ready');
  if (pod.status['phase'] === 'Running' && ready?.['status'] === 'False') {
    const words = cluster.warningOf(pod, 'Unhealthy') || wordsOf(ready);
    const wrong = wrongProbePort(pod, words);
    if (wrong) return ofWrongPort(pod, 'runs', wrong, words);
    return { ...finding(pod, 'critical', 'erroring', 'runs, but is not ready'), detail: words };
  }
  for (const container of containers) {
    const last = fieldsOf(fieldsOf(container['lastState'])['terminated']);
    if (numberOf(last['exitCode']) === 0 || !(ageMs(last['finishedAt'], cluster.now) < LATELY_MS))
      continue;
    const symptom = last['reason'] === 'OOMKilled' ? 'saturated' : 'erroring';
    const title = `container ${textOf(container['name'])} was restarted within the last hour: ${endOf(last)}`;
    return finding(pod, 'warning', [symptom, kindOfEnd(last)], title);
  }
  return undefined;
}

const SIGNALS: Readonly<Record<number, string>> = {
  137: 'killed',
  139: 'segmentation fault',
  143: 'terminated',
};

/** The failure that the reason of an ended container shows, if that is clear. */
function kindOfEnd(terminated: Fields): FailureKind | undefined {
  const reason = textOf(terminated['reason']);
  return Object.hasOwn(ENDED, reason) ? ENDED[reason] : undefined;
}

/** Whether the runtime reports that it could not mount something into a container. */
const isOfMount = (words: string): boolean => /error mounting "|failed to mount/.test(words);

/** A volume cannot be mounted: it is faulty, or its content does not exist. */
const kindOfMount = (missing: string): FailureKind => (missing === '' ? 'volume' : 'config');

/** `OOMKilled (exit code 137)` */
function endOf(terminated: Fields): string {
  const code = terminated['exitCode'];
  if (typeof code !== 'number') return '';
  const reason = textOf(terminated['reason']) || SIGNALS[code] || 'ended';
  const signal = reason === 'Error' && SIGNALS[code] !== undefined ? `, ${SIGNALS[code]}` : '';
  return `${reason} (exit code ${code}${signal})`;
}

/** Secrets, config maps and claims that a pod mounts, without the token that every pod has. */
const volumesOf = ({ spec }: Resource): string[] =>
  listOf(spec['volumes']).flatMap((volume) => {
    const secret = textOf(fieldsOf(volume['secret'])['secretName']);
    const map = textOf(fieldsOf(volume['configMap'])['name']);
    const claim = textOf(fieldsOf(volume['persistentVolumeClaim'])['claimName']);
    if (secret !== '' && !/-token-\w{5}$/.test(secret)) return [`secret ${secret}`];
    if (map !== '') return [`config map ${map}`];
    return claim === '' ? [] : [`claim ${claim}`];
  });
