/** The queue of each role. */
export const QUEUE_NAMES = {
  global_supervisor: 'global-supervisor',
  team_supervisor: 'team-supervisor',
  worker: 'worker',
  oracle: 'oracle',
} as const;
export type Role = keyof typeof QUEUE_NAMES;
/** The roles of agents at the top of a run. */
export type TopRole = 'global_supervisor' | 'oracle';

/** Which agent is to work on what. The rest is in the log. */
export interface AgentJob {
  runId: string;
  /** Null for the agent at the top. */
  dispatchId: string | null;
  agentId: string;
  task: string;
}

/** The same id for the same piece of work, so that adding it twice has no effect. No integer and no `:`, which BullMQ refuses. */
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

/** The dispatch that made a dispatch, null for the top. */
export const parentOf = (dispatchId: string): string | null =>
  dispatchId.includes('_') ? dispatchId.slice(0, dispatchId.indexOf('_')) : null;

/** The dispatch of a job id, undefined for a job at the top. */
export function dispatchOf(jobId: string): string | undefined {
  const [, rest] = jobId.split('.');
  return rest === 'oracle' ? undefined : rest;
}

export function roleOfJob(jobId: string): Role {
  const dispatchId = dispatchOf(jobId);
  if (dispatchId !== undefined) return roleOf(dispatchId);
  return jobId.endsWith('.oracle') ? 'oracle' : 'global_supervisor';
}
