import type { AgentJob, Role, TopRole } from './job-ids.js';

/** What a parent knows of its children, by dispatch id. */
export type ChildState = 'open' | 'ended';

/** Thrown by a `QueuedJob` that gave its slot back. The work function must let it through. */
export class JobParked extends Error {
  override readonly name = 'JobParked';
  constructor(readonly how: 'delayed' | 'waiting-children' | 'released') {
    super(`the job is ${how}`);
  }
}

/** The job is no longer this consumer's: its lock ran out, or it was removed. */
export class JobLostError extends Error {
  override readonly name = 'JobLostError';
}

/** A job in the hands of a consumer. Any method but `children` rejects with `JobLostError` if the job is no longer this consumer's. */
export interface QueuedJob {
  readonly id: string;
  readonly data: AgentJob;
  /** Identifies this lock of the job. */
  readonly token: string;
  /** How often a consumer was lost while it worked on this job. */
  readonly stalls: number;
  /** Gives the slot back for a while, or until the job is woken. @throws JobParked */
  delay(ms: number): Promise<never>;
  /** Gives the slot back to any consumer. @throws JobParked */
  release(): Promise<never>;
  /** Adds children. Those that exist already stay as they are. */
  addChildren(role: 'team_supervisor' | 'worker', children: AgentJob[]): Promise<void>;
  /** By dispatch id; children that were never added are not in it. */
  children(): Promise<Map<string, ChildState>>;
  /** Gives the slot back until all children have ended. Returns if they have already. @throws JobParked */
  waitForChildren(): Promise<void>;
}

export interface ConsumerOptions {
  /** If it resolves, the job is removed for good. */
  work: (job: QueuedJob) => Promise<void>;
  onError: (error: Error) => void;
  /** `work` rejected with anything but `JobParked`: the job is removed, and its parent goes on. */
  onFailed: (jobId: string | undefined, error: Error) => void;
}

/** Takes jobs of one role until it is closed. */
export interface QueueConsumer {
  /** Extends the locks of jobs at work. @returns the jobs whose locks are no longer this consumer's */
  extendLocks(jobIds: string[], tokens: string[], ms: number): Promise<string[]>;
  /** Takes no more jobs. Resolves when those at work have ended. */
  close(): Promise<void>;
  /** Closes the connections without waiting for jobs. */
  disconnect(): Promise<void>;
}

export interface JobCount {
  queue: string;
  state: 'waiting' | 'active' | 'delayed' | 'waiting-children';
  count: number;
}

/**
 * Carries work to processes, and nothing else: the state of the work is in the log. One queue per role, so that busy workers
 * do not delay supervisors. Implementations: `BullmqQueue`, and `MemoryQueue` for tests.
 */
export abstract class QueuePort {
  /** Adds the job of the agent at the top of a run, unless it exists. */
  abstract start(job: AgentJob, top: TopRole): Promise<void>;

  abstract isQueued(runId: string, top: TopRole): Promise<boolean>;

  /** Ends the delay of jobs; others stay as they are. @returns ids of jobs that do not exist */
  abstract wake(jobIds: readonly string[]): Promise<string[]>;

  /**
   * Adds the lost job of a dispatch again if its parent waits for it.
   * @param reported the dispatch has reported: only a parent that still waits for it needs the job
   * @returns whether it was added
   */
  abstract revive(job: AgentJob & { dispatchId: string }, reported: boolean): Promise<boolean>;

  /**
   * Removes the jobs of a run that has ended, children first. Running ones stay: they find the log sealed and end.
   * @returns the dispatches (null: the top) whose jobs are still there
   */
  abstract remove(
    runId: string,
    dispatchIds: readonly string[],
    top: TopRole,
  ): Promise<(string | null)[]>;

  /** How many jobs there are, by queue and state. */
  abstract counts(): Promise<JobCount[]>;

  /** Begins to take jobs of a role. */
  abstract consume(role: Role, options: ConsumerOptions): QueueConsumer;
}
