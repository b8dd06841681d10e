/** A report of one run to one destination. */
export interface ReportJob {
  runId: string;
  destination: string;
}

/** A job that is being worked on. */
export interface TakenReport extends ReportJob {
  /** From 1. Counts attempts whose process was lost, too. */
  attempt: number;
  signal: AbortSignal;
}

/** The outcome of an attempt; `again` after a pause, as long as attempts are left. */
export type SendResult =
  | { kind: 'sent' }
  /** It will not be tried again. */
  | { kind: 'dropped'; reason: string }
  | { kind: 'again'; reason: string; retryAfterSeconds?: number };

/** The state of a report. */
export interface ReportState {
  status: 'waiting' | 'sent' | 'failed';
  attempts: number;
  /** Why the last attempt failed. */
  reason: string | null;
}

/**
 * Stores reports until they are sent, over hours and beyond the end of processes. Implementations:
 * `BullmqReportQueue`, and one in memory for tests.
 */
export abstract class ReportQueue {
  /** Adds a job unless it was added before. */
  abstract add(job: ReportJob): Promise<void>;

  /** Undefined for a report that was never added, or was added long ago. */
  abstract stateOf(job: ReportJob): Promise<ReportState | undefined>;

  /** Begins to take jobs. */
  abstract consume(work: (job: TakenReport) => Promise<SendResult>): void;
}
