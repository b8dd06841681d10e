import { rankOf, type AgentEvent } from './agent-event.js';

/**
 * Maximum events of a queue (docs/notifications.md).
 * @internal Exported for tests.
 */
export const QUEUE_SIZE = 1_000;

/** Events that rules and subscribers have not processed, oldest first. */
export interface EventQueue {
  events: AgentEvent[];
  /** Events dropped since the last report. */
  dropped: number;
}

/**
 * Adds an event, in place. If the queue is full, drops the oldest event of the lowest severity,
 * possibly the new one; never `error` or `critical`, so that a queue full of these grows.
 */
export function enqueue(queue: EventQueue, event: AgentEvent): void {
  queue.events.push(event);
  if (queue.events.length <= QUEUE_SIZE) return;
  let lowest = 0;
  for (const [i, { severity }] of queue.events.entries())
    if (rankOf(severity) < rankOf((queue.events[lowest] as AgentEvent).severity)) lowest = i;
  if (rankOf((queue.events[lowest] as AgentEvent).severity) >= rankOf('error')) return;
  queue.events.splice(lowest, 1);
  queue.dropped++;
}
