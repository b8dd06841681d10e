import { eventTime } from '../../domain/kubernetes/event-time.js';
import type { KubernetesObject, ToolRecording } from '../../domain/telemetry/records.js';

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * The faults that Kubernetes objects state, in the words of `kubectl describe`, so that the same
 * rules read both: waiting and terminated containers, conditions that are not met, events of type
 * Warning. Fields as in the Kubernetes API, v1.
 */
export function describeObjects(objects: readonly KubernetesObject[]): ToolRecording[] {
  return objects.flatMap((each): ToolRecording[] => {
    const lines = linesOf(each).map((line) => line.text);
    if (lines.length === 0) return [];
    const args = { kind: each.kind, name: each.name };
    return [{ tool: 'kubernetes_inspect', args, status: 'success', output: lines.join('\n') }];
  });
}

/** The fault that an object states, and its beginning, if the object has it. */
interface ObjectLine {
  text: string;
  since: number;
}

/**
 * The beginnings of the faults that objects state, by the beginning of the line that states each.
 */
export const beginningsOf = (objects: readonly KubernetesObject[]): Map<string, number> =>
  new Map(
    objects
      .flatMap(linesOf)
      .filter(({ since }) => !Number.isNaN(since))
      .map(({ text: line, since }) => [beginningOf(line), since]),
  );

/** The part of a line that is kept however the line is cut later. */
export const beginningOf = (line: string): string =>
  (line.split('\n')[0] ?? '').slice(0, 200).trim();

const linesOf = (each: KubernetesObject): ObjectLine[] =>
  each.kind === 'Event' ? eventLines(each) : [...containerLines(each), ...conditionLines(each)];

function eventLines({ object }: KubernetesObject): ObjectLine[] {
  if (object['type'] !== 'Warning') return [];
  const about = fieldsOf(object['involvedObject'] ?? object['regarding']);
  const message = text(object['message']) || text(object['note']);
  const line = `Warning ${text(object['reason'])} ${text(about['kind'])}/${text(about['name'])} ${message}`;
  return [{ text: line, since: Date.parse(text(object['firstTimestamp']) || eventTime(object)) }];
}

function containerLines({ kind, name, object }: KubernetesObject): ObjectLine[] {
  if (kind !== 'Pod') return [];
  const status = fieldsOf(object['status']);
  const unready = listOf(status['conditions']).find(
    ({ type, status: is }) => type === 'Ready' && is === 'False',
  );
  const containers = [
    ...listOf(status['initContainerStatuses']),
    ...listOf(status['containerStatuses']),
  ];
  return containers.flatMap((container) => {
    const waiting = fieldsOf(fieldsOf(container['state'])['waiting']);
    const ended = fieldsOf(fieldsOf(container['lastState'])['terminated']);
    const at = `Pod/${name} container ${text(container['name'])}`;
    const restarts = Number(container['restartCount'] ?? 0);
    return [
      ...(text(waiting['reason']) === ''
        ? []
        : [
            {
              text: `${at} waiting: ${text(waiting['reason'])} ${text(waiting['message'])}`,
              since: Date.parse(text(unready?.['lastTransitionTime'])),
            },
          ]),
      ...(text(ended['reason']) === '' || ended['reason'] === 'Completed'
        ? []
        : [
            {
              text: `${at} last ended: ${text(ended['reason'])} Exit Code: ${text(ended['exitCode'])} ${text(ended['message'])}, ${restarts} restarts`,
              since: Date.parse(text(ended['finishedAt'])),
            },
          ]),
    ];
  });
}

/** Conditions that should be `True`, and those that should not. */
const WANTED = new Set([
  'Ready',
  'Available',
  'Progressing',
  'PodScheduled',
  'ContainersReady',
  'Initialized',
]);
const UNWANTED = /Pressure|Failed|ReplicaFailure|NetworkUnavailable/;

function conditionLines({ kind, name, object }: KubernetesObject): ObjectLine[] {
  return listOf(fieldsOf(object['status'])['conditions']).flatMap((condition) => {
    const type = text(condition['type']);
    const status = text(condition['status']);
    const bad =
      (WANTED.has(type) && status === 'False') ||
      // The reason of a node whose kubelet no longer reports.
      (type === 'Ready' && status === 'Unknown') ||
      (UNWANTED.test(type) && status === 'True');
    const line = `${kind}/${name} condition ${type} ${status}: ${text(condition['reason'])} ${text(condition['message'])}`;
    return bad ? [{ text: line, since: Date.parse(text(condition['lastTransitionTime'])) }] : [];
  });
}
