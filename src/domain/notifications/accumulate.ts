import { matchesType, rankOf, type AgentEvent } from './agent-event.js';
import { deferralOf, sinceNow, type DeliveryContext } from './deferral.js';
import { showsForeign } from './foreign-text.js';
import type { Group, NotificationState, NotificationRow } from './notification-state.js';
import { POINTS, PRIORITIES, type Point, type Priority, type Subscriber } from './subscriber.js';
import { fillTemplate, oneLine, valueAt } from './template.js';

/** Maximum characters of the key of identical events. */
const KEY_LENGTH = 200;

/**
 * Whether a subscriber selects an event.
 * @internal Exported for tests.
 */
export const isSelected = ({ subscriber, events }: Subscriber, event: AgentEvent): boolean =>
  subscriber.enabled &&
  rankOf(event.severity) >= rankOf(events.severity_filter) &&
  (events.sources.length === 0 || events.sources.includes(event.source)) &&
  events.types.some((pattern) => matchesType(pattern, event.type));

/** Adds an event to the notifications of every subscriber that selects it, in place. */
export function accumulate(
  state: NotificationState,
  subscribers: readonly Subscriber[],
  event: AgentEvent,
  at: DeliveryContext,
): void {
  for (const subscriber of subscribers)
    if (isSelected(subscriber, event)) take(state, subscriber, event, at);
}

function take(
  state: NotificationState,
  subscriber: Subscriber,
  event: AgentEvent,
  at: DeliveryContext,
): void {
  const { batching, output } = subscriber;
  const { id } = subscriber.subscriber;
  const row: NotificationRow = {
    type: event.type,
    severity: event.severity,
    text: fillTemplate(output.template, event as unknown as Record<string, unknown>),
    count: 1,
    key: keyOf(batching.dedupe_key, event),
    at: at.now,
    ...(showsForeign(output.template, event) && { origin: 'notifications' }),
  };
  const priority = oneOf<Priority>(PRIORITIES, event.payload['priority']) ?? output.priority;
  const inject_at = oneOf<Point>(POINTS, event.payload['inject_at']) ?? output.inject_at;
  const opened = (): Group => ({
    subscriber: id,
    name: subscriber.subscriber.name,
    priority,
    inject_at,
    opened: at.now,
    order: ++state.opened,
    rows: [row],
    closed: batching.max_size === 1,
  });

  const deferral = deferralOf(event.payload);
  if (deferral) {
    state.deferred.push({ deferral, since: sinceNow(deferral, at), group: opened() });
    return;
  }
  const own = state.groups.filter(
    (g) => g.subscriber === id && g.priority === priority && g.inject_at === inject_at,
  );
  for (const { rows } of own) {
    const same = rows.find(
      ({ key, at: first }) => key === row.key && at.now - first < batching.dedupe_window_ms,
    );
    if (!same) continue;
    same.count++;
    if (rankOf(row.severity) > rankOf(same.severity)) same.severity = row.severity;
    return;
  }
  const open = own.find(({ closed }) => !closed);
  if (open && at.now - open.opened < batching.window_ms) {
    open.rows.push(row);
    open.closed = open.rows.length >= batching.max_size;
    return;
  }
  if (open) open.closed = true;
  state.groups.push(opened());
}

const oneOf = <Name extends string>(names: readonly Name[], value: unknown): Name | undefined =>
  names.find((name) => name === value);

/**
 * `type:payload.tool_name` of an event, with a length before each part, so that different values
 * have different keys.
 */
function keyOf(fields: string, event: AgentEvent): string {
  const parts = fields.split(':').map((field) => {
    const value = valueAt(event as unknown as Record<string, unknown>, field);
    const text = typeof value === 'object' && value !== null ? 'object' : String(value ?? '');
    return `${text.length}:${oneLine(text, KEY_LENGTH)}`;
  });
  return parts.join(' ');
}
