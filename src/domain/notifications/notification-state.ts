import type { JsonObject } from '../../lib/json.js';
import type { EventSeverity } from './agent-event.js';
import type { Deferral, Since } from './deferral.js';
import type { EventQueue } from './event-queue.js';
import type { Point, Priority } from './subscriber.js';

/** One line of a notification: an event, or several identical ones. */
export interface Row {
  type: string;
  severity: EventSeverity;
  text: string;
  count: number;
  /** By which identical ones are known. */
  key: string;
  /** ms since the epoch: of the first. */
  at: number;
  /** From an earlier session. */
  carried?: true;
}

/** Rows of a subscriber that are delivered together. */
export interface Group {
  /** Id of the subscriber. */
  subscriber: string;
  /** Of the subscriber, for the header of several. */
  name: string;
  priority: Priority;
  inject_at: Point;
  /** ms since the epoch. */
  opened: number;
  /** Number of the group: first in, first out. */
  order: number;
  rows: Row[];
  /** Nothing more comes to it: it was full, or its window has closed. */
  closed: boolean;
}

export interface Deferred {
  deferral: Deferral;
  since: Since;
  /** Of one row. */
  group: Group;
}

/** Notifications that were not delivered yet, and what rules remember: a part of the blackboard, saved with the step that changes it. Plain JSON. */
export interface NotificationState {
  queue: EventQueue;
  groups: Group[];
  deferred: Deferred[];
  /** Groups opened so far. */
  opened: number;
  /** What rules have set. */
  state: JsonObject;
  /** Rules that have fired and do so once. */
  told: string[];
  /** Rules whose failure was reported. */
  failed: string[];
  /** Rules that took too long, and are not asked again. */
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

/** A copy to change: nothing that is changed in it is shared with the original. */
export const copyNotifications = (state: NotificationState): NotificationState => ({
  ...state,
  queue: { ...state.queue, events: [...state.queue.events] },
  groups: state.groups.map((group) => ({ ...group, rows: group.rows.map((row) => ({ ...row })) })),
  deferred: [...state.deferred],
  state: { ...state.state },
  told: [...state.told],
  failed: [...state.failed],
  off: [...state.off],
});
