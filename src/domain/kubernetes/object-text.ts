import type { KubernetesObject } from '../telemetry/records.js';
import { fieldsOf, listOf, textOf } from './fields.js';
import { keyOfObject } from './workload.js';

type Named = Pick<KubernetesObject, 'kind' | 'namespace' | 'name'>;

/** Kinds that create pods, and kinds that create these: at most two levels. */
const MAKERS = new Set(['ReplicaSet', 'Deployment', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob']);
const MOST_MAKERS = 2;

/**
 * The object that people inspect and change if one of a cluster is faulty: for a pod, the workload
 * that made it, if it was read. `namespace/kind/name`, or `kind/name` if it has no namespace.
 */
export function responsibleObject(
  wrong: Named,
  byKey: ReadonlyMap<string, KubernetesObject>,
): string {
  let object = wrong;
  for (let i = 0; i < MOST_MAKERS; i += 1) object = makerOf(object, byKey) ?? object;
  const { kind, namespace = '', name } = object;
  return `${namespace === '' ? '' : `${namespace}/`}${kind}/${name}`;
}

function makerOf(of: Named, byKey: ReadonlyMap<string, KubernetesObject>): Named | undefined {
  const { metadata } = byKey.get(keyOfObject(of))?.object ?? {};
  for (const owner of listOf(fieldsOf(metadata)['ownerReferences'])) {
    const kind = textOf(owner['kind']);
    const maker = byKey.get(keyOfObject({ ...of, kind, name: textOf(owner['name']) }));
    if (maker && MAKERS.has(kind)) return maker;
  }
  return undefined;
}

const OBJECT = /^(?:([a-z0-9-]{1,63})\/)?([A-Za-z]{1,63})\/([a-z0-9.-]{1,253})$/;

/** The parts of what {@link responsibleObject} returns; undefined for any other text. */
export function objectIn(text: string): Named | undefined {
  const [, namespace, kind, name] = OBJECT.exec(text) ?? [];
  return kind === undefined || name === undefined
    ? undefined
    : { kind, name, ...(namespace !== undefined && { namespace }) };
}
