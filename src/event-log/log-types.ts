import type { DraftEvent, Usage } from '../domain/events/event.js';
import type { RunHead } from '../domain/run.js';
import type { RunStatus } from '../domain/run-status.js';

/** Options of a claim. */
export interface ClaimOptions {
  /** Refuses a writer with this many claims without progress. Default 0: no limit. */
  suspectAt?: number;
  /**
   * False if the caller itself held the claim before, so that no process was lost. Default true.
   */
  counts?: boolean;
  /**
   * Name of this claim. A second call with the same name and no step in between is a retry of the
   * claim.
   */
  name?: string;
}

/** The right to write, or the reason why it was refused. */
export type Claim =
  | {
      kind: 'claimed';
      epoch: number;
      step: number;
      claims: number;
      checkpoint: string | null;
      messages: string[];
      /** When the run was accepted: ms by the log's clock. */
      createdAt: number;
      /** The current time: ms by the log's clock. */
      now: number;
      /** Used by the run so far. */
      tokens: number;
    }
  /**
   * The writer had so many claims without progress that it may crash its processes. Nothing was
   * claimed.
   */
  | { kind: 'suspect'; claims: number }
  /** A later version of the service wrote the run. Nothing was claimed. */
  | { kind: 'newer' }
  | { kind: 'sealed' }
  | { kind: 'done' }
  | { kind: 'missing' };

/**
 * One step of a writer: its events and the state to resume from. Recorded completely or not at all.
 */
export interface Step {
  writer: string;
  epoch: number;
  step: number;
  events: DraftEvent[];
  /** The writer's state after this step, as JSON. Undefined keeps the last one. */
  checkpoint?: string;
  /** Appended to the writer's conversation. */
  messages?: string[];
  /**
   * Marks the writer's last step. Its checkpoint and conversation are deleted, and it cannot write
   * again.
   */
  done?: boolean;
  /**
   * Resets the count of claims without progress: true (default) sets it to 0, because the session
   * may end here; `going` sets it to 1, because the session continues. False keeps it.
   */
  progress?: boolean | 'going';
  /**
   * The last sequence that the log returned to this writer. A log that ends before it has lost
   * events.
   */
  seen?: number;
}

/**
 * `first > last` for a step without events. `ms`: the log's clock. `tokens`: used by the run so
 * far. `room`: see `roomIn`.
 */
export type AppendResult =
  | { kind: 'ok'; first: number; last: number; ms: number; tokens: number; room: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'gap'; step: number }
  /** The log has no room for the step. The caller must end the run with `RunControl.failFull`. */
  | { kind: 'full' }
  | { kind: 'missing' };

/** Whether events of the service itself were appended, and if not, why. */
export type NoteResult = 'ok' | 'sealed' | 'full' | 'missing';

/**
 * `used`: tokens of the run so far. `granted`: the tokens wanted, or fewer if no other reservation
 * is open. `wait`: another open reservation may return tokens. `spent`: none are left for this
 * writer.
 */
export type ReserveResult =
  | { kind: 'granted'; tokens: number; used: number }
  | { kind: 'wait'; used: number }
  | { kind: 'spent'; used: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'missing' };

/**
 * The final status of the run. `sealed`: whether this call ended it. `ms`: the log's clock, or 0 if
 * another call ended it.
 */
export interface SealResult {
  status: RunStatus;
  sealed: boolean;
  ms: number;
}

export interface RunState {
  status: RunStatus;
  lastSequence: number;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Time of the last event: ms by the log's clock. */
  updatedAt: number;
  usage: Usage;
  head: RunHead;
  /** The log was trimmed without an archive: only this state and the terminal event are left. */
  expired: boolean;
  /** The log was trimmed and is read from the archive. */
  archived: boolean;
  /**
   * The log lost events up to this sequence; clients may have seen others in their place. 0: none
   * were lost.
   */
  lostUpTo: number;
}

/** Consecutive frames of a log, and where the log ended when they were read. */
export interface LogPage {
  /** The frame before them, if it was not deleted. */
  before?: Buffer;
  frames: Buffer[];
  lastSequence: number;
  sealed: boolean;
}

/** Where a log ends, and the requested frame. */
export interface Tail {
  lastSequence: number;
  sealed: boolean;
  frame?: Buffer;
}
