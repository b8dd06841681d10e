import { rankOf, type AgentEvent } from './agent-event.js';

/** Events that a queue holds. docs/notifications.md */
export const QUEUE_SIZE = 1_000;

/** Events that rules and subscribers have not seen yet, oldest first. */
export interface EventQueue {
  events: AgentEvent[];
  /** How many had to go, since they were last counted. */
  dropped: number;
}

/**
 * Adds an event, in place. Where the queue is full the lowest severity goes first, the oldest of it, and that may be the
 * one that comes; `error` and `critical` never go, so that a queue full of them grows.
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
