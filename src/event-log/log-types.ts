import type { DraftEvent, Usage } from '../domain/events/event.js';
import type { RunHead, RunStatus } from '../domain/run.js';

/** How a stretch of work is claimed. */
export interface ClaimOptions {
  /** Refuse a writer that was claimed this often without progress. Default 0: accept any. */
  suspectAt?: number;
  /** False: the caller itself held the claim before, so no process was lost. Default true. */
  counts?: boolean;
  /** Names this claim: the same name again, with nothing recorded in between, is the same claim, whose answer was lost. */
  name?: string;
}

/** The right to write, or why there is nothing left to do. */
export type Claim =
  | {
      kind: 'claimed';
      epoch: number;
      step: number;
      claims: number;
      checkpoint: string | null;
      messages: string[];
      /** ms, the log's clock: when the run was accepted. */
      createdAt: number;
      /** ms, the log's clock: when this was answered. */
      now: number;
      /** Of the run so far. */
      tokens: number;
    }
  /** It was claimed so often without progress that it may be what crashes its processes. Nothing was claimed. */
  | { kind: 'suspect'; claims: number }
  | { kind: 'sealed' }
  | { kind: 'done' }
  | { kind: 'missing' };

/** One step of a writer: its events and the state to resume from, recorded together or not at all. */
export interface Step {
  writer: string;
  epoch: number;
  step: number;
  events: DraftEvent[];
  /** The writer's state after this step, JSON; undefined leaves the last one. */
  checkpoint?: string;
  /** Pushed to the writer's conversation. */
  messages?: string[];
  /** The writer's last step: its checkpoint and conversation are dropped, and it can never write again. */
  done?: boolean;
  /**
   * True (default): the count of claims without progress becomes 0; the stretch may end here. `going`: it becomes 1, since the
   * stretch continues and is without progress if it records nothing more. False: the count stays (work merely began again).
   */
  progress?: boolean | 'going';
  /** The last sequence that the log reported to this writer: if the log ends before it now, it has lost its end. */
  seen?: number;
}

/** `first > last` for a step without events. `ms`: the log's clock. `tokens`: of the run so far. */
export type Appended =
  | { kind: 'ok'; first: number; last: number; ms: number; tokens: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'gap'; step: number }
  /** The log has no room for the step. The caller must end the run: `RunControl.failFull`. */
  | { kind: 'full' }
  | { kind: 'missing' };

/**
 * `used`: tokens of the run so far. `granted`: the tokens asked for, or fewer if no more are left and no other call could give
 * some back. `wait`: another call in progress could. `spent`: none are left for this writer.
 */
export type Reserved =
  | { kind: 'granted'; tokens: number; used: number }
  | { kind: 'wait'; used: number }
  | { kind: 'spent'; used: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'missing' };

/** The status that the run ended with. `sealed`: by this call. `ms`: the log's clock, 0 if not by this call. */
export interface Sealed {
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
  /** ms, the log's clock: of the last event. */
  updatedAt: number;
  usage: Usage;
  head: RunHead;
  /** The log was trimmed and not archived: only this state and the terminal event are left. */
  expired: boolean;
  /** The log was trimmed, and is read from its archive. */
  archived: boolean;
  /** Clients that saw events up to here may have seen another history, since the log lost its end. 0: it has not. */
  lostUpTo: number;
}

/** Frames of a stretch of a log, and where the log ended when they were read. */
export interface Page {
  /** The frame before them, if it is still kept. */
  before?: Buffer;
  frames: Buffer[];
  lastSequence: number;
  sealed: boolean;
}

/** Where a log ends, and the frame that was asked for. */
export interface Tail {
  lastSequence: number;
  sealed: boolean;
  frame?: Buffer;
}
