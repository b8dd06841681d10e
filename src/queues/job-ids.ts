/** The queue of each role. */
export const QUEUE_NAMES = {
  global_supervisor: 'global-supervisor',
  team_supervisor: 'team-supervisor',
  worker: 'worker',
  oracle: 'oracle',
} as const;
export type AgentRole = keyof typeof QUEUE_NAMES;
/** Roles of the agent at the top of a run. */
export type TopRole = 'global_supervisor' | 'oracle';

/** The highest `order` of a job: the lowest priority of BullMQ. */
export const LAST_ORDER = 2_097_152;

/** Identifies the agent that a job runs. All other state is in the log. */
export interface AgentJob {
  runId: string;
  /** Null for the top agent. */
  dispatchId: string | null;
  agentId: string;
  task: string;
  /**
   * ms, the log's clock: when the agent was dispatched. Absent at the top, and in jobs that were
   * added again.
   */
  sentAt?: number;
  /** ms, of a top agent only: from when the job was added until it may be taken. */
  delayMs?: number;
  /**
   * Of its agent, 1 to `LAST_ORDER`: jobs with a lower number go first, and those without one
   * before all.
   */
  order?: number;
}

/**
 * The id of a job: the same for the same work, so that adding it twice has no effect. BullMQ
 * refuses integers and `:`.
 */
export function jobIdOf(
  { runId, dispatchId }: Pick<AgentJob, 'runId' | 'dispatchId'>,
  top: TopRole = 'global_supervisor',
): string {
  if (dispatchId !== null) return `${runId}.${dispatchId}`;
  return top === 'oracle' ? `${runId}.oracle` : runId;
}

/** Dispatch ids are `d1` for a team, and `d1_2` for its second worker. */
export const roleOf = (dispatchId: string): 'team_supervisor' | 'worker' =>
  dispatchId.includes('_') ? 'worker' : 'team_supervisor';

/** The parent of a dispatch, null for the top agent. */
export const parentOf = (dispatchId: string): string | null =>
  dispatchId.includes('_') ? dispatchId.slice(0, dispatchId.indexOf('_')) : null;

/** The dispatch of a job id, undefined for the job of a top agent. */
export function dispatchOf(jobId: string): string | undefined {
  const [, rest] = jobId.split('.');
  return rest === 'oracle' ? undefined : rest;
}

export function roleOfJob(jobId: string): AgentRole {
  const dispatchId = dispatchOf(jobId);
  if (dispatchId !== undefined) return roleOf(dispatchId);
  return jobId.endsWith('.oracle') ? 'oracle' : 'global_supervisor';
}
