import type { SourceKind } from '../domain/chat/chat.js';
import { ConsiliumError } from '../domain/errors.js';
import type { Role } from '../domain/roles.js';
import type { AcceptedRun } from '../runs/run-starter.js';

/** A message to the oracle, from any endpoint. */
export interface OracleRequest {
  message: string;
  /** Undefined: a new conversation. An unknown one is created. */
  conversationId?: string | undefined;
  /** The exchange that it continues; undefined: the head. */
  node?: string | undefined;
  /** It replaces the head: it continues the parent of the head. */
  again?: boolean | undefined;
  /** Undefined: that of the exchange that it continues. */
  topologyId?: number | undefined;
  context?: string | undefined;
  /** The run that the person looks at: the turn is about it unless the message names another. */
  runId?: string | undefined;
  /** The name that the client gives the run of it. */
  clientRunId?: string | undefined;
  sources?: SourceKind[] | undefined;
  model?: string | undefined;
  thinking?: boolean | undefined;
  /** Token budget of this turn. */
  tokenBudget?: number | undefined;
  onDisconnect?: 'continue' | 'cancel' | undefined;
  /**
   * An unknown model or topology is replaced by the default, with a warning in the log, instead of
   * refused.
   */
  lenient?: boolean | undefined;
  /** The value that was sent as the topology, if it cannot be an id. */
  unknownTopology?: string | undefined;
  /** Of the principal that asks; undefined: there is no authentication. */
  role?: Role | undefined;
  /** The principal that asks, see `startedBy`. */
  startedBy?: string | undefined;
  /** The trace context of the request. */
  traceparent?: string | undefined;
  /** The caller has one such turn at a time: the earlier one is cancelled. */
  exclusive?: boolean | undefined;
}

/** A POST that may be repeated. */
export interface IdempotentPost {
  key: string;
  path: string;
  /** The client has received a part of its run. */
  resumes: boolean;
}

export interface AcceptedTurn extends AcceptedRun {
  /** It had been accepted before, with the same key. */
  joins: boolean;
}

export const goneTurn = () => new ConsiliumError('RUN_EXPIRED', 'This turn is no longer kept');
