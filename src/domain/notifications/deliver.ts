import { isDue, type DeliveryContext } from './deferral.js';
import { formatGroups } from './format.js';
import type { Group, NotificationState, Row } from './notification-state.js';
import { PRIORITIES, type Point } from './subscriber.js';

/** The notifications that are delivered at a point. */
export interface Delivery {
  /** For the model's messages; empty: nothing. */
  text: string;
  rows: Row[];
}

/**
 * Takes out what is due at a point, in place: what wants this point, what is `immediate` or `critical`, and what was
 * deferred and is due. All of it, so that nothing waits for ever: critical first, first in first out within a priority.
 */
export function deliver(state: NotificationState, point: Point, at: DeliveryContext): Delivery {
  const isNow = ({ inject_at, priority }: Group) =>
    inject_at === point || inject_at === 'immediate' || priority === 'critical';
  const due = state.deferred
    .filter(({ deferral, since }) => isDue(deferral, since, at))
    .map(({ group }) => group);
  const groups = [...state.groups.filter(isNow), ...due].sort(
    (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.order - b.order,
  );
  const { dropped } = state.queue;
  if (groups.length === 0 && dropped === 0) return { text: '', rows: [] };
  const gone = new Set(groups);
  state.groups = state.groups.filter((group) => !gone.has(group));
  state.deferred = state.deferred.filter(({ group }) => !gone.has(group));
  state.queue.dropped = 0;
  return { text: formatGroups(groups, dropped), rows: groups.flatMap(({ rows }) => rows) };
}
