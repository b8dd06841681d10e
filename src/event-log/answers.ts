import type { DraftEvent, Usage } from '../domain/event.js';
import type { RunHead, RunStatus } from '../domain/run.js';

/** What `claim` answers: the right to write, or why there is nothing left to do. */
export type Claim =
  | { kind: 'claimed'; epoch: number; step: number; claims: number; checkpoint: string | null; messages: string[] }
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
}

/** `first > last` for a step without events. `ms`: the log's clock. */
export type Appended =
  | { kind: 'ok'; first: number; last: number; ms: number }
  | { kind: 'sealed' }
  | { kind: 'fenced' }
  | { kind: 'gap'; step: number }
  /** The log has no room for the step: the run is ended, see `EventLog.whenFull`. */
  | { kind: 'full' }
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
}

/** Frames of a stretch of a log, and where the log stood after they were read. */
export interface Page {
  frames: Buffer[];
  lastSequence: number;
  sealed: boolean;
}
