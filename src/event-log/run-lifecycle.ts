import type { RunHead, RunSpec } from '../domain/run.js';

/**
 * Handlers for points in the life of a run; `app.module` lists them. Each is awaited. If one
 * rejects, the step that follows it is postponed to a later sweep. Calls may be repeated.
 */
export interface RunLifecycle {
  /** Called before a run without a job is started again. */
  beforeRestart?(runId: string, spec: RunSpec): Promise<void>;
  /** Called before the events of a finished run are deleted. */
  beforeTrim?(runId: string, head: RunHead): Promise<void>;
}

/** A handler for the end of a run, called after its log is sealed. Awaited. */
export interface RunClosing {
  /** If it rejects, a later sweep calls it again. Two processes may call it at once. */
  beforeClose?(runId: string): Promise<void>;
  /**
   * Called by the one process that has closed the run, and never again: not at all if that process
   * dies.
   */
  afterClose?(runId: string): Promise<void>;
}

/** Injection token of the list of handlers for the end of runs. */
export const RUN_CLOSING = Symbol('RUN_CLOSING');

/** Injection token of the list of handlers. */
export const RUN_LIFECYCLE = Symbol('RUN_LIFECYCLE');
