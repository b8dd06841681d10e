import type { JsonObject } from '../../lib/json.js';

/** Severities, from lowest to highest. */
export const SEVERITIES = ['debug', 'info', 'warning', 'error', 'critical'] as const;
export type EventSeverity = (typeof SEVERITIES)[number];

export const isSeverity = (name: string): name is EventSeverity =>
  (SEVERITIES as readonly string[]).includes(name);
export const rankOf = (severity: EventSeverity): number => SEVERITIES.indexOf(severity);

/** Types of events inside an agent, with their default severities (docs/notifications.md). */
export const AGENT_EVENTS = {
  'query.start': 'info',
  'session.end': 'info',
  'session.resumed': 'info',
  'agent.turn.start': 'debug',
  'agent.turn.end': 'debug',
  'agent.loop.detected': 'warning',
  'agent.self.notify': 'info',
  'agent.self.remind': 'info',
  'tool.call.pending': 'debug',
  'tool.call.success': 'info',
  'tool.call.failure': 'error',
  'tool.call.timeout': 'error',
  'tool.batch.complete': 'info',
  'budget.iteration.warning': 'warning',
  'budget.iteration.exceeded': 'error',
  'budget.token.warning': 'warning',
  'budget.token.exceeded': 'error',
  'budget.timeout.warning': 'warning',
  'context.approaching_limit': 'warning',
  'source.stale': 'warning',
  'task.checkpoint': 'info',
  'subagent.start': 'info',
  'subagent.end': 'info',
} as const satisfies Record<string, EventSeverity>;
export type AgentEventType = keyof typeof AGENT_EVENTS;

/** Form of the names of events that rules emit. */
export const EVENT_TYPE = /^[a-z][a-z0-9_]{0,39}(\.[a-z0-9_]{1,40}){1,4}$/;

/** An event inside an agent, the input of rules and subscribers. Plain JSON. */
export interface AgentEvent {
  /** UUID. */
  id: string;
  type: string;
  /** Id of the agent, or `rule:ID`. */
  source: string;
  severity: EventSeverity;
  /** ISO 8601, UTC. */
  timestamp: string;
  /** May override the delivery: `priority`, `inject_at`, `deliver` (see `deferral.ts`). */
  payload: JsonObject;
  dedupe_key: string;
  /**
   * Number of rules in the chain that emitted it. Rules see events of rules up to a maximum depth.
   */
  depth?: number;
  /** Keys of the payload whose text a rule has taken from outside. */
  foreign?: string[];
}

/** The required fields of an event; the others have defaults. `now`: ms since the epoch. */
export interface EventFacts {
  id: string;
  type: string;
  source: string;
  now: number;
  severity?: EventSeverity;
  payload?: JsonObject;
  depth?: number;
  foreign?: string[];
}

/** Creates an event with defaults. */
export function agentEvent({
  id,
  type,
  source,
  now,
  severity,
  payload = {},
  depth,
  foreign,
}: EventFacts): AgentEvent {
  return {
    id,
    type,
    source,
    severity:
      severity ??
      (Object.hasOwn(AGENT_EVENTS, type) ? AGENT_EVENTS[type as AgentEventType] : 'info'),
    timestamp: new Date(now).toISOString(),
    payload,
    dedupe_key: `${type}:${source}`,
    ...(depth !== undefined && { depth }),
    ...(foreign !== undefined && foreign.length > 0 && { foreign }),
  };
}

/** Whether a type matches a subscription: its name, a prefix that ends in `.*`, or `*`. */
export const matchesType = (pattern: string, type: string): boolean =>
  pattern === '*' ||
  (pattern.endsWith('.*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type);
