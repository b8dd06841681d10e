import type { SavedMemory } from './behaviour-tree/tree.js';
import type { Tries } from './provider/attempts.js';
import { unknownDensity, type Density } from './context/density.js';
import { wholeView, type View } from './context/view.js';
import type { RootCause } from './diagnosis/finding.js';
import type { JsonObject } from '../lib/json.js';
import {
  copyNotifications,
  freshNotifications,
  type NotificationState,
} from './notifications/notification-state.js';
import type { DraftFinding } from './diagnosis/findings-of.js';

/** A tool call of the current turn without a result. */
export interface OpenCall {
  tool_call_id: string;
  tool: string;
  args: JsonObject;
  /** Why it will not run, for the model. */
  fault?: string;
  /** The service makes it: the agent's model ended its work without it. */
  by_service?: true;
  /** It may have run before a crash and must not run twice. */
  interrupted?: true;
  /** It changes its target, and a person was asked. */
  approval?: OpenApproval;
}

/** An approval that an agent waits for or has. Contract section 11. */
export interface OpenApproval {
  approval_id: string;
  /** ms since 1970, by the log's clock. */
  expires_at: number;
  /** A person has approved the call, and the agent is about to make it or has made it. */
  started?: { by: string | null };
}

/** A dispatched agent whose report was not processed yet. */
export interface OpenDispatch {
  dispatch_id: string;
  /** The tool call that receives the report. */
  call_id: string;
  tool: 'dispatch_team' | 'dispatch_worker';
  agent_id: string;
  task: string;
}

/** A librarian that was dispatched and has not reported. */
export interface OpenLibrarian {
  dispatch_id: string;
  /** Parts of results to read, by characters of their JSON. */
  parts: { id: string; from: number; to: number }[];
  /** Its summaries of the first parts. */
  said: string[];
}

/** Evidence as a model cites it: a `tool_call_id`, or a sequence number from a report. */
export type Citation = string | number;

/** The conclusion of an agent's `report` call, or the one that the service wrote for it. */
export interface Conclusion {
  status: 'ok' | 'failed';
  summary: string;
  findings: (Omit<DraftFinding, 'evidence'> & { evidence: Citation[] })[];
  root_causes: (Omit<RootCause, 'evidence' | 'confidence'> & { evidence: Citation[] })[];
  /** Measurements to disregard, and why. */
  dismissed?: { tool_call_id: string; reason: string }[];
  /** Actions that the agent proposes. */
  next_steps?: { text: string; node?: string | undefined }[];
}

/**
 * The state that an agent needs to continue in another process, except its conversation, which is a
 * separate list. Plain JSON.
 */
export interface Blackboard {
  version: 1;
  tree: SavedMemory;
  /**
   * ms since 1970, by the log's clock: when the agent began. Absent on boards of older versions.
   */
  startedAt?: number;
  turn: number;
  attempt: number;
  /** Number of the next model call's attempt; above 1 after a crash interrupted one. */
  nextAttempt: number;
  /** Attempts of this turn's model call. */
  tries?: Tries;
  /** Earliest time of the next attempt, in ms since 1970. */
  notBefore?: number;
  /** ms since 1970: since when the next attempt has been wanted. */
  wantedAt?: number;
  /**
   * ms: from its dispatch to when a process took the agent up, until its first model call reports
   * it.
   */
  queuedMs?: number;
  /** How often a process that ran this agent was lost, as of this checkpoint. */
  stalls: number;
  /** Number of created tool call ids. */
  toolCalls: number;
  dispatches: number;
  calls: OpenCall[];
  waiting: OpenDispatch[];
  conclusion: Conclusion | null;
  /** Codes of limits and failures that ended the agent's work early. */
  reasons: string[];
  /** The limit that ends the agent's work, until it is reported. */
  reached: 'iteration' | 'token' | 'timeout' | 'log' | null;
  /** Whether the agent ends after this turn. */
  stop: boolean;
  failed: boolean;
  /** The failure of the model's provider that ended the agent's work. */
  failure: {
    code: string;
    message: string;
    retryable: boolean;
    /** ms since 1970. */
    retryAt?: number;
  } | null;
  /** Warnings that were given; each is given once. */
  warned: string[];
  /** Unprocessed events, and notifications that were not delivered yet. */
  notifications: NotificationState;
  /** The provider's token count of the conversation, up to this number of messages. */
  context: { tokens: number; messages: number; model?: string } | null;
  /** Ratio of tokens to bytes, from the provider's counts. */
  density: Density;
  /** Window of the model in tokens, if a refusal showed that it is smaller than configured. */
  window: number | null;
  /** The turn in which a prompt was too long; it is tried once again. */
  refusedIn: number;
  /** The parts of the conversation that are sent to the model. */
  view: View;
  /** The librarian that summarises large results of this turn. */
  librarian: OpenLibrarian | null;
  /** Number of dispatched librarians. */
  librarians: number;
  /** Values of the agent's tree, by its own keys. */
  own: JsonObject;
}

export const freshBlackboard = (): Blackboard => ({
  version: 1,
  tree: {},
  turn: 0,
  attempt: 1,
  nextAttempt: 1,
  stalls: 0,
  toolCalls: 0,
  dispatches: 0,
  calls: [],
  waiting: [],
  conclusion: null,
  reasons: [],
  reached: null,
  stop: false,
  failed: false,
  failure: null,
  warned: [],
  notifications: freshNotifications(),
  context: null,
  density: unknownDensity(),
  window: null,
  refusedIn: 0,
  view: wholeView(),
  librarian: null,
  librarians: 0,
  own: {},
});

/** A deep copy. */
export const copyBlackboard = (board: Readonly<Blackboard>): Blackboard => ({
  ...board,
  calls: [...board.calls],
  waiting: [...board.waiting],
  reasons: [...board.reasons],
  warned: [...board.warned],
  notifications: copyNotifications(board.notifications),
  librarian: board.librarian && { ...board.librarian, said: [...board.librarian.said] },
  own: { ...board.own },
});

/** A checkpoint of a later version of the service. */
export class LaterCheckpointError extends Error {
  override readonly name = 'LaterCheckpointError';
}

/**
 * Parses a checkpoint. Fields that an older version did not write have their initial values. An
 * incompatible change needs a new version number, and this function must then read the old one.
 * @param own initial values of the agent's tree
 * @throws LaterCheckpointError if a later version of the service wrote it
 */
export function readBlackboard(checkpoint: string | null, own: JsonObject = {}): Blackboard {
  if (checkpoint === null) return { ...freshBlackboard(), own };
  const board = JSON.parse(checkpoint) as { version: unknown };
  if (board.version !== 1)
    throw new LaterCheckpointError(
      `a checkpoint has version ${String(board.version)}, of a later version of the service`,
    );
  return { ...freshBlackboard(), own, ...(board as Partial<Blackboard>) };
}
