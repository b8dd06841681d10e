import type { Change, KubernetesObject } from '../telemetry/records.js';
import { type Fields, fieldsOf, listOf, textOf } from './fields.js';

const REVISION = 'deployment.kubernetes.io/revision';

interface Revision {
  number: number;
  at: number;
  containers: readonly Fields[];
}

/**
 * The changes of a deployment, as its replica sets record them: one replica set for each revision,
 * kept according to `revisionHistoryLimit`. A rollback gives an old replica set a new number; its
 * time is then that of the deployment's progress. Values of variables are not shown.
 */
export function rolloutsOf(
  { name, namespace, object }: KubernetesObject,
  objects: readonly KubernetesObject[],
): Omit<Change, 'node'>[] {
  const revisions = objects
    .filter(
      (each) =>
        each.kind === 'ReplicaSet' &&
        each.namespace === namespace &&
        listOf(fieldsOf(each.object['metadata'])['ownerReferences']).some(
          (owner) => owner['kind'] === 'Deployment' && owner['name'] === name,
        ),
    )
    .flatMap((each) => revisionOf(each))
    .toSorted((a, b) => a.number - b.number);
  return revisions.flatMap((revision, index) => {
    const before = revisions[index - 1];
    const isRollback = before !== undefined && revision.at < before.at;
    const at = isRollback && index === revisions.length - 1 ? progressOf(object) : revision.at;
    if (Number.isNaN(at) || (isRollback && at < before.at)) return [];
    const differences = before ? differencesOf(before, revision) : ['first revision that is kept'];
    return {
      kind: 'deploy' as const,
      at,
      id: `deployment/${name}@${revision.number}`,
      version: revision.containers.map(({ image }) => textOf(image)).join(', '),
      message: `Deployment ${name}, revision ${revision.number}: ${differences.join('; ') || 'other fields of the pod'}`,
    };
  });
}

/** When the last rollout progressed; NaN if that is unknown. */
function progressOf(deployment: Fields): number {
  const conditions = listOf(fieldsOf(deployment['status'])['conditions']);
  const progress = conditions.find(({ type }) => type === 'Progressing');
  return Date.parse(textOf(progress?.['lastUpdateTime']));
}

function revisionOf({ object }: KubernetesObject): Revision[] {
  const { annotations, creationTimestamp } = fieldsOf(object['metadata']);
  const number = Number(fieldsOf(annotations)[REVISION]);
  const at = Date.parse(textOf(creationTimestamp));
  if (!Number.isInteger(number) || Number.isNaN(at)) return [];
  const pod = fieldsOf(fieldsOf(fieldsOf(object['spec'])['template'])['spec']);
  return [{ number, at, containers: listOf(pod['containers']) }];
}

function differencesOf(before: Revision, after: Revision): string[] {
  return after.containers.flatMap((container) => {
    const name = textOf(container['name']);
    const old = before.containers.find((each) => each['name'] === container['name']);
    if (old === undefined) return [`new container ${name}`];
    return [
      ...(old['image'] === container['image']
        ? []
        : [`image ${textOf(old['image'])} to ${textOf(container['image'])}`]),
      ...variablesOf(old, container),
      ...['resources', 'command', 'args', 'readinessProbe', 'livenessProbe', 'ports', 'envFrom']
        .filter((field) => JSON.stringify(old[field]) !== JSON.stringify(container[field]))
        .map((field) => `${field} of ${name}`),
    ];
  });
}

/** Names of variables that were added, removed or changed. */
function variablesOf(before: Fields, after: Fields): string[] {
  const byName = ({ env }: Fields) =>
    new Map(listOf(env).map((each) => [textOf(each['name']), JSON.stringify(each)]));
  const old = byName(before);
  const now = byName(after);
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changed = names.filter((name) => old.get(name) !== now.get(name));
  return changed.length === 0 ? [] : [`variables ${changed.slice(0, 10).join(', ')}`];
}
