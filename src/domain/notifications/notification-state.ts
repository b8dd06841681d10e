import type { JsonObject } from '../../lib/json.js';
import type { EventSeverity } from './agent-event.js';
import type { Deferral, Since } from './deferral.js';
import type { EventQueue } from './event-queue.js';
import type { Point, Priority } from './subscriber.js';

/** One line of a notification: an event, or several identical ones. */
export interface NotificationRow {
  type: string;
  severity: EventSeverity;
  text: string;
  count: number;
  /** Key of identical events. */
  key: string;
  /** Time of the first event, in ms since the epoch. */
  at: number;
  /** Whether it is from an earlier conversation. */
  carried?: true;
  /** Where its text comes from, if it holds text from outside. */
  origin?: string;
}

/** Rows of a subscriber that are delivered together. */
export interface Group {
  /** Id of the subscriber. */
  subscriber: string;
  /** Name of the subscriber, for the header of several rows. */
  name: string;
  priority: Priority;
  inject_at: Point;
  /** ms since the epoch. */
  opened: number;
  /** Number of the group, for delivery in order of arrival. */
  order: number;
  rows: NotificationRow[];
  /** Closed because it was full or its window has ended. */
  closed: boolean;
}

export interface DeferredGroup {
  deferral: Deferral;
  since: Since;
  /** Has one row. */
  group: Group;
}

/**
 * Notifications that were not delivered yet, and the state of rules: part of the blackboard, saved
 * with the step that changes it. Plain JSON.
 */
export interface NotificationState {
  queue: EventQueue;
  groups: Group[];
  deferred: DeferredGroup[];
  /** Number of groups opened so far. */
  opened: number;
  /** Values that rules have set. */
  state: JsonObject;
  /** Keys of `state` whose text comes from outside. Absent: none. */
  foreign?: string[];
  /** Rules with `once` that have fired. */
  told: string[];
  /** Rules whose failure was reported. */
  failed: string[];
  /** Rules that took too long and are no longer evaluated. */
  off: string[];
}

export const freshNotifications = (): NotificationState => ({
  queue: { events: [], dropped: 0 },
  groups: [],
  deferred: [],
  opened: 0,
  state: {},
  told: [],
  failed: [],
  off: [],
});

/** A deep copy. */
export const copyNotifications = (state: NotificationState): NotificationState => ({
  ...state,
  queue: { ...state.queue, events: [...state.queue.events] },
  groups: state.groups.map((group) => ({ ...group, rows: group.rows.map((row) => ({ ...row })) })),
  deferred: [...state.deferred],
  state: { ...state.state },
  ...(state.foreign && { foreign: [...state.foreign] }),
  told: [...state.told],
  failed: [...state.failed],
  off: [...state.off],
});
