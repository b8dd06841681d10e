import type { DraftEvent, Usage } from '../domain/events/event.js';
import type { RunHead, RunStatus } from '../domain/run.js';

/** What `claim` answers: the right to write, or why there is nothing left to do. */
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
      /** Of the run so far. */
      tokens: number;
    }
  /** It has been claimed so often without progress that it may be what kills its processes. Nothing was claimed. */
  | { kind: 'suspect'; claims: number }
  | { kind: 'sealed' }
  | { kind: 'done' }
  | { kind: 'missing' };

/** One step of a writer: its events, and what it needs to go on from there, recorded together or not at all. */
export interface Step {
  writer: string;
  epoch: number;
  step: number;
  events: DraftEvent[];
  /** The writer's state after this step, JSON; undefined leaves the last one. */
  checkpoint?: string;
  /** Pushed to the writer's conversation. */
  messages?: string[];
  /** The writer's last step: its checkpoint and conversation are dropped, it can never write again. */
  done?: boolean;
  /**
   * False for a step that says only that work began again: it does not clear the count of fruitless claims. `going` for one
   * that the same stretch goes on after: if nothing more comes of it, it was one. Default true: the stretch may end here.
   */
  progress?: boolean | 'going';
  /** The last sequence that this writer was told: it was in the log, and if the log knows less now, it has lost its end. */
  seen?: number;
}

/** `first > last` for a step without events. `ms`: the log's clock. `tokens`: of the run so far. */
export type Appended =
  | { kind: 'ok'; first: number; last: number; ms: number; tokens: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'gap'; step: number }
  /** The log has no room for the step: the run is ended, see `EventLog.whenFull`. */
  | { kind: 'full' }
  | { kind: 'missing' };

/**
 * What `reserve` answers. `used`: tokens of the run so far. `granted` is fewer than was wanted where no more are left, and no
 * other call is under way that could give some back; while one is: `wait`. `spent`: there are none for this writer any more.
 */
export type Reserved =
  | { kind: 'granted'; tokens: number; used: number }
  | { kind: 'wait'; used: number }
  | { kind: 'spent'; used: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'missing' };

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
  /** The log is gone, and was not archived: only what is said here is left, and the terminal event. */
  expired: boolean;
  /** What was seen up to here may be of another history: the log has lost its end. 0: it has not. */
  lostUpTo: number;
}

/** Frames of a stretch of a log, and where the log stood after they were read. */
export interface Page {
  /** The frame before them, where it is still kept. */
  before?: Buffer;
  frames: Buffer[];
  lastSequence: number;
  sealed: boolean;
}

/** Where a log ends, and the frame that was asked for beside that. */
export interface Tail {
  lastSequence: number;
  sealed: boolean;
  frame?: Buffer;
}
