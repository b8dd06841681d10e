import type { Report } from '../domain/diagnosis/finding.js';
import type { EventData, NamedEvent, Usage } from '../domain/events/event.js';
import type { LimitOverrides } from '../domain/limits/limit-bounds.js';
import type { RunStatus } from '../domain/run-status.js';
import type { Connection } from './connection.js';

/**
 * An accepted run. `events` yields its whole log in order, up to the terminal event, also if
 * connections are lost.
 */
export interface TriggeredRun {
  runId: string;
  events: AsyncGenerator<NamedEvent, void, undefined>;
}

export interface TriggerRequest {
  topologyId: number;
  /** The problem, as the person describes it. */
  userMessage: string;
  limits?: LimitOverrides;
  /** Agents may ask to change things: each change waits for `Client.decide`. */
  repair?: boolean;
  onDisconnect?: 'continue' | 'cancel';
}

export interface ChatRequest {
  message: string;
  /**
   * The conversation to continue: `session_id` of an earlier `lifecycle.started`. Absent: a new
   * conversation.
   */
  sessionId?: string;
  /**
   * The exchange to continue, if it is not the last one: `context_id` of its `lifecycle.started`.
   */
  contextId?: string;
  topologyId?: number;
  /** The data that the person currently sees: a text, or any JSON. */
  context?: unknown;
  /** `cancel`: the answer is cancelled if no client has followed it for 10 s. */
  onDisconnect?: 'continue' | 'cancel';
}

export interface CallOptions {
  /** Stops waiting, reading and reconnecting. The run continues. */
  signal?: AbortSignal | undefined;
}

export interface StreamOptions extends CallOptions {
  /** Maximum of consecutive connections without an event. Default: no maximum. */
  attempts?: number;
  /** Called whenever the connection of the stream changes, so that a page can show it. */
  onConnection?: (connection: Connection) => void;
}

export interface FollowOptions extends StreamOptions {
  /** The last known sequence. Default 0: from the beginning. */
  after?: number;
}

export interface TriggerOptions extends StreamOptions {
  /**
   * A request with the same key and body joins the same run, so that a caller can repeat it without
   * starting another run.
   */
  idempotencyKey?: string;
}

/** A model in the list of `GET /models`. */
export interface ModelRecord {
  name: string;
  description: string;
  default: boolean;
}

/** A topology in the list of `GET /topologies`. */
export interface TopologyRecord {
  id: number;
  name: string;
  description: string | null;
  version: number;
  nodeCount: number;
  teamCount: number;
  agentCount: number;
}

/** A stored topology, with its agents derived or given. Contract section 9. */
export interface StoredTopology extends Record<string, unknown> {
  id: number;
  name: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  /** The parts that the topology was given without. Absent: unknown. */
  derived?: ('globalSupervisor' | 'teams')[];
  /**
   * What is allowed but looks like a mistake, such as a misspelt attribute. In answers to a create
   * or replace.
   */
  warnings?: { path: string; message: string }[];
}

/** Which runs `runs` yields. Absent: all. */
export interface RunFilter {
  topologyId?: number | undefined;
  status?: RunStatus | undefined;
  kind?: 'diagnosis' | 'chat' | undefined;
  /** Accepted at or after, and at or before, this time (ISO 8601). */
  since?: string | undefined;
  until?: string | undefined;
}

/** A run in the list of `GET /executions`. Contract section 3. */
export interface RunCard {
  runId: string;
  kind: 'diagnosis' | 'chat';
  status: RunStatus;
  topologyId: number | null;
  topologyName: string | null;
  topologyVersion: number | null;
  userMessage: string;
  createdAt: string | null;
  startedAt: string | null;
  endedAt: string | null;
  lastSequence: number;
}

/**
 * A change that a run proposes, in the list of `GET /executions/{runId}/approvals`. Contract
 * section 11.
 */
export interface ApprovalRecord {
  approvalId: string;
  /** `expired`: also of a run that ended before a person decided. */
  state: 'open' | 'approved' | 'refused' | 'expired';
  /** Name of the principal that decided; null if none did, or without authentication. */
  by: string | null;
  tool: string;
  node: string;
  message: string;
  risk: string;
  argsDigest: string;
  expiresAt: string;
  /** Of the event `system.approval`. */
  sequence: number;
}

/** A conversation in the list of `GET /conversations`. Contract section 8. */
export interface ConversationCard {
  id: string;
  title: string;
  /** The id of the exchange that the next message continues. */
  head: string | null;
  /** The topology that a turn was about last. */
  topologyId: number | null;
  /** The run of the turn that is under way. */
  running: string | null;
  createdAt: string | null;
  updatedAt: string | null;
}

/** A conversation with the messages of its current path. */
export interface ConversationRecord extends ConversationCard {
  messages: {
    id: string;
    role: 'user' | 'assistant';
    content: string;
    created_at: string | null;
    run_id: string;
    partial: boolean;
    tool_calls?: {
      tool_call_id: string;
      tool: string;
      /** Absent if they are long. */
      args?: Record<string, unknown>;
      /** Null: the call has no result (yet). */
      status: EventData['llm.tool_result']['status'] | null;
      duration_ms: number | null;
    }[];
    usage?: Usage;
  }[];
}

/** The response of `GET /executions/{runId}`. Contract section 3. */
export interface RunRecord {
  runId: string;
  status: RunStatus;
  partial: boolean;
  /** Codes of the reasons for a partial result, such as `LIMIT_REACHED` or `AI_ERROR`. */
  reasons: string[];
  /** The error of a failed run, otherwise null. */
  error: { code: string; message: string } | null;
  topologyId: number | null;
  topologyVersion: number | null;
  userMessage: string;
  createdAt: string;
  startedAt: string | null;
  endedAt: string | null;
  lastSequence: number;
  summary: string | null;
  report: Report | null;
}
