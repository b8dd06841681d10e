import type { DataBlock } from '../prompt/data-block.js';
import { isDue, type DeliveryContext } from './deferral.js';
import { formatGroups } from './format.js';
import type { Group, NotificationState, NotificationRow } from './notification-state.js';
import { PRIORITIES, type Point } from './subscriber.js';

/** The notifications for one point. */
export interface NotificationDelivery {
  /** Text of the service for the model's messages, marked as such; empty: none. */
  text: string;
  /** Texts that hold foreign text, by their origin. */
  quoted: DataBlock[];
  rows: NotificationRow[];
}

/**
 * Removes and returns all notifications that are due at a point, in place: those for this point,
 * `immediate` and `critical` ones, and deferred ones that are due. By priority, then in order of
 * arrival.
 */
export function deliver(
  state: NotificationState,
  point: Point,
  at: DeliveryContext,
): NotificationDelivery {
  const isNow = ({ inject_at, priority }: Group) =>
    inject_at === point || inject_at === 'immediate' || priority === 'critical';
  const due = state.deferred
    .filter(({ deferral, since }) => isDue(deferral, since, at))
    .map(({ group }) => group);
  const groups = [...state.groups.filter(isNow), ...due].sort(
    (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || a.order - b.order,
  );
  const { dropped } = state.queue;
  if (groups.length === 0 && dropped === 0) return { text: '', quoted: [], rows: [] };
  const gone = new Set(groups);
  state.groups = state.groups.filter((group) => !gone.has(group));
  state.deferred = state.deferred.filter(({ group }) => !gone.has(group));
  state.queue.dropped = 0;
  const own = formatGroups(rowsFrom(groups, undefined), dropped);
  const rows = groups.flatMap((group) => group.rows);
  const origins = new Set(rows.flatMap(({ origin }) => origin ?? []));
  return {
    text: own === '' ? '' : `[system notification]\n${own}`,
    quoted: [...origins].map((origin) => ({
      origin,
      text: formatGroups(rowsFrom(groups, origin), 0),
    })),
    rows,
  };
}

/** The groups with only the rows of an origin. */
const rowsFrom = (groups: readonly Group[], origin: string | undefined): Group[] =>
  groups.flatMap((group) => {
    const rows = group.rows.filter((row) => row.origin === origin);
    return rows.length === 0 ? [] : [{ ...group, rows }];
  });
