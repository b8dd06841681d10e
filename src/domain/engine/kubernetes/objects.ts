import type { KubernetesObject, ToolRecording } from '../records.js';

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/**
 * What Kubernetes objects say is wrong, in the words of `kubectl describe`, so that the same rules read both: waiting and terminated
 * containers, conditions that are not met, events of type Warning. Fields as in the Kubernetes API, v1.
 */
export function describeObjects(objects: readonly KubernetesObject[]): ToolRecording[] {
  return objects.flatMap((each): ToolRecording[] => {
    const lines =
      each.kind === 'Event' ? eventLines(each) : [...containerLines(each), ...conditionLines(each)];
    if (lines.length === 0) return [];
    const args = { kind: each.kind, name: each.name };
    return [{ tool: 'kubernetes_inspect', args, status: 'success', output: lines.join('\n') }];
  });
}

function eventLines({ object }: KubernetesObject): string[] {
  if (object['type'] !== 'Warning') return [];
  const about = fieldsOf(object['involvedObject'] ?? object['regarding']);
  const message = text(object['message']) || text(object['note']);
  return [
    `Warning ${text(object['reason'])} ${text(about['kind'])}/${text(about['name'])} ${message}`,
  ];
}

function containerLines({ kind, name, object }: KubernetesObject): string[] {
  if (kind !== 'Pod') return [];
  const status = fieldsOf(object['status']);
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
        : [`${at} waiting: ${text(waiting['reason'])} ${text(waiting['message'])}`]),
      ...(text(ended['reason']) === '' || ended['reason'] === 'Completed'
        ? []
        : [
            `${at} last ended: ${text(ended['reason'])} Exit Code: ${text(ended['exitCode'])} ${text(ended['message'])}, ${restarts} restarts`,
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

function conditionLines({ kind, name, object }: KubernetesObject): string[] {
  return listOf(fieldsOf(object['status'])['conditions']).flatMap((condition) => {
    const type = text(condition['type']);
    const status = text(condition['status']);
    const bad =
      (WANTED.has(type) && status === 'False') || (UNWANTED.test(type) && status === 'True');
    return bad
      ? [
          `${kind}/${name} condition ${type} ${status}: ${text(condition['reason'])} ${text(condition['message'])}`,
        ]
      : [];
  });
}
