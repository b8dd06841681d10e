import { eventTime } from '../../kubernetes/event-time.js';
import { fieldsOf, listOf, textOf } from '../../kubernetes/fields.js';
import type { Observations } from '../observations.js';
import type { KubernetesObject } from '../records.js';
import { describeObjects } from './objects.js';
import { tellingLines, type TellingLine } from './telling-lines.js';

const LEAST_WEIGHT = 4;

/** What the cluster says is wrong with the pods of each node, and was not so in the quiet time. */
export function clusterLines(
  { kubernetesByNode }: Pick<Observations, 'kubernetesByNode'>,
  quietUntil: number,
): (TellingLine & { node: string })[] {
  return [...kubernetesByNode].flatMap(([node, objects]) => {
    const recent = objects
      .filter((each) => !isOver(each, quietUntil))
      .map((each) => withoutOldEnds(each, quietUntil));
    return tellingLines(describeObjects(recent), '')
      .filter(({ weight }) => weight >= LEAST_WEIGHT)
      .map((line) => ({ ...line, node }));
  });
}

/** An event that was last seen in the quiet time has another cause. */
function isOver({ kind, object }: KubernetesObject, quietUntil: number): boolean {
  return kind === 'Event' && Date.parse(eventTime(object)) < quietUntil;
}

/** A container that ended in the quiet time, and has run since, is well. */
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
