import { joinSentences } from '../../lib/text.js';
import { Cluster, type KubernetesFinding } from '../../domain/kubernetes/cluster.js';
import { analyzeNetwork } from '../../domain/kubernetes/network.js';
import { keyOfObject } from '../../domain/kubernetes/workload.js';
import { analyzePods } from '../../domain/kubernetes/pods.js';
import { eventTime } from '../../domain/kubernetes/event-time.js';
import { fieldsOf, listOf, textOf } from '../../domain/kubernetes/fields.js';
import { isHealed, isWhole, wellPods } from './healed.js';
import type { Observations } from '../observations.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { beginningOf, beginningsOf, describeObjects } from './objects.js';
import { tellingLines, type TellingLine } from './telling-lines.js';

const LEAST_WEIGHT = 4;

interface ClusterLine extends TellingLine {
  node: string;
  /** When the fault began, if the cluster states it. */
  since?: number;
}

/**
 * The faults that the cluster reports about the pods of each node, and did not report in the quiet
 * time.
 */
export function clusterLines(
  seen: Pick<Observations, 'kubernetesByNode' | 'kubernetes' | 'frame'>,
  quietUntil: number,
): ClusterLine[] {
  const judged = unsaid(seen);
  const pods = { well: wellPods(seen.kubernetes), now: seen.frame.now };
  const known = new Set(
    seen.kubernetes.flatMap(({ kind, namespace, name }) =>
      kind === 'Pod' ? `${namespace ?? ''}/${name}` : [],
    ),
  );
  return [...seen.kubernetesByNode].flatMap(([node, objects]) => {
    const hasAll = known.size > 0 && isWhole(objects);
    const gone = (key: string) => hasAll && !known.has(key);
    const recent = objects
      .filter((each) => !isOver(each, quietUntil) && !isHealed(each, { ...pods, gone }))
      .map((each) => withoutOldEnds(each, quietUntil));
    const own = objects.flatMap((each) => judged.get(keyOfObject(each)) ?? []);
    const said = tellingLines(describeObjects(recent), '');
    const beginnings = beginningsOf(recent);
    const [more] = own.filter((line) => !said.some(({ kind }) => kind === line.kind));
    return [...(more ? [more] : []), ...said]
      .filter(({ weight }) => weight >= LEAST_WEIGHT)
      .map((line) => {
        const since = beginnings.get(beginningOf(line.line));
        return { ...line, node, ...(since !== undefined && { since }) };
      });
  });
}

const JUDGED_WEIGHT = 9.5;

/**
 * Faults that only show when objects are compared, and that no text of Kubernetes states: a probe
 * of a port that no container has, an init container that waits for a service that does not exist,
 * a service that selects none of the pods that are named after it. By the key of the object.
 */
function unsaid({
  kubernetes,
  frame,
}: Pick<Observations, 'kubernetes' | 'frame'>): Map<string, TellingLine> {
  const cluster = new Cluster(kubernetes, frame.now);
  const hasPods = ({ namespace, name }: KubernetesFinding) =>
    cluster
      .all('Pod')
      .some((pod) => pod.namespace === namespace && pod.name.startsWith(`${name}-`));
  const found = [
    ...analyzePods(cluster).filter(
      ({ failureKind }) => failureKind === 'config' || failureKind === 'wrong-address',
    ),
    ...analyzeNetwork(cluster).filter(
      (each) => each.kind === 'Service' && each.failureKind === 'config' && hasPods(each),
    ),
  ];
  return new Map(
    found.map((each) => {
      const { kind: of, name, title, detail, failureKind: kind, steps } = each;
      const text = joinSentences(`${of}/${name} ${title}`, detail);
      return [
        keyOfObject(each),
        {
          text,
          line: text,
          weight: JUDGED_WEIGHT,
          ...(kind && { kind }),
          ...(steps !== undefined && { steps }),
        },
      ];
    }),
  );
}

/** An event that was last seen in the quiet time has another cause. */
function isOver({ kind, object }: KubernetesObject, quietUntil: number): boolean {
  return kind === 'Event' && Date.parse(eventTime(object)) < quietUntil;
}

/** A container that ended in the quiet time, and has run since, is healthy. */
function withoutOldEnds(each: KubernetesObject, quietUntil: number): KubernetesObject {
  const status = fieldsOf(each.object['status']);
  if (each.kind !== 'Pod' || status['containerStatuses'] === undefined) return each;
  const containerStatuses = listOf(status['containerStatuses']).map((container) => {
    const ended = fieldsOf(fieldsOf(container['lastState'])['terminated'])['finishedAt'];
    const { lastState, ...rest } = container;
    const isOld = Date.parse(textOf(ended)) < quietUntil && fieldsOf(rest['state'])['running'];
    return isOld ? rest : { ...rest, lastState };
  });
  return { ...each, object: { ...each.object, status: { ...status, containerStatuses } } };
}
