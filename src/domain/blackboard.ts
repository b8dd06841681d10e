import type { TreeMemory } from './behaviour-tree/tree.js';
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

/** A tool call of the current turn that has no result yet. */
export interface OpenCall {
  tool_call_id: string;
  tool: string;
  args: JsonObject;
  /** Why it will not be run: what is wrong with it, for the model. */
  fault?: string;
  /** It may have run before a crash, and may not run twice. */
  interrupted?: true;
}

/** A dispatched agent whose report has not been taken yet. */
export interface OpenDispatch {
  dispatch_id: string;
  /** The model's call that it answers. */
  call_id: string;
  tool: 'dispatch_team' | 'dispatch_worker';
  agent_id: string;
  task: string;
}

/** A librarian that was sent, and has not reported. */
export interface OpenLibrarian {
  dispatch_id: string;
  /** What it is to read: parts of results, by the characters of their JSON. */
  parts: { id: string; from: number; to: number }[];
  /** What it has said of the first of them. */
  said: string[];
}

/** Evidence as a model cites it: a `tool_call_id`, or the sequence number that a report told it. */
export type Citation = string | number;

/** What an agent concluded through its `report` tool, or what was concluded for it. */
export interface Conclusion {
  status: 'ok' | 'failed';
  summary: string;
  findings: (Omit<DraftFinding, 'evidence'> & { evidence: Citation[] })[];
  root_causes: (Omit<RootCause, 'evidence' | 'confidence'> & { evidence: Citation[] })[];
  /** Measurements to disregard, and why. */
  dismissed?: { tool_call_id: string; reason: string }[];
  /** What the agent proposes to do. */
  next_steps?: { text: string; node?: string | undefined }[];
}

/** Everything that an agent must know to go on on another machine, but its conversation (a list of its own). Plain JSON. */
export interface Blackboard {
  version: 1;
  tree: TreeMemory;
  turn: number;
  attempt: number;
  /** Of the next model call: above 1 when one was cut off by a crash. */
  nextAttempt: number;
  /** Of this turn's model call: what was tried. */
  tries?: Tries;
  /** ms since 1970: the next attempt is not made before. */
  notBefore?: number;
  /** How often a process that worked on this was lost, as far as this board knows. */
  stalls: number;
  /** Minted so far. */
  toolCalls: number;
  dispatches: number;
  calls: OpenCall[];
  waiting: OpenDispatch[];
  conclusion: Conclusion | null;
  /** Codes of why the agent is not simply done: limits, failures. */
  reasons: string[];
  /** The limit that ends its work, before it was said. */
  reached: 'iteration' | 'token' | 'timeout' | null;
  /** The agent ends after this turn. */
  stop: boolean;
  failed: boolean;
  /** What the model's provider did, where that ended the agent's work. */
  failure: { code: string; message: string; retryable: boolean } | null;
  /** Warnings that are given once. */
  warned: string[];
  /** Events that rules and subscribers have not seen, and notifications that were not delivered yet. */
  notifications: NotificationState;
  /** Tokens of the conversation as the provider of a model counted them, up to this many messages. */
  context: { tokens: number; messages: number; model?: string } | null;
  /** How tokens relate to bytes, from the counts of its provider. */
  density: Density;
  /** Tokens: of its model's window, where a refusal has taught that it is smaller than was believed. */
  window: number | null;
  /** The turn in which a prompt was too long: that is tried again once. */
  refusedIn: number;
  /** What of the conversation goes to its model. */
  view: View;
  /** The librarian that sums up large results of this turn. */
  librarian: OpenLibrarian | null;
  /** Librarians dispatched so far. */
  librarians: number;
  /** What its tree keeps here, by the keys that it names itself. */
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

/** A copy to change: nothing that is changed in it is shared with the original. */
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

/** A checkpoint that only a later version of the service can read. */
export class LaterCheckpointError extends Error {
  override readonly name = 'LaterCheckpointError';
}

/**
 * A checkpoint as it was left; what its writer did not know of is as at the beginning. A change that this does not bridge needs
 * another version, and the old one read here.
 * @param own what its tree keeps there to begin with
 * @throws LaterCheckpointError where a later version of the service wrote it
 */
export function readBlackboard(checkpoint: string | null, own: JsonObject = {}): Blackboard {
  if (checkpoint === null) return { ...freshBlackboard(), own };
  const board = JSON.parse(checkpoint) as { version: unknown };
  if (board.version !== 1)
    throw new LaterCheckpointError(
      `a checkpoint has version ${String(board.version)}: a later service wrote it`,
    );
  return { ...freshBlackboard(), own, ...(board as Partial<Blackboard>) };
}
