import type { RunHead, RunSpec } from '../domain/run.js';

/**
 * What other subjects do at points in the life of a run. `app.module` lists the handlers. Each is awaited; if one rejects, the
 * step that it precedes is not taken, and is tried again in a later sweep. Calls may be repeated.
 */
export interface RunLifecycle {
  /** Before a run that has no job is started again. */
  beforeRestart?(runId: string, spec: RunSpec): Promise<void>;
  /** Before the events of a run that has ended are dropped. */
  beforeTrim?(runId: string, head: RunHead): Promise<void>;
}

/** Injects the list of handlers. */
export const RUN_LIFECYCLE = Symbol('RUN_LIFECYCLE');
