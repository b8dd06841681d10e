import type { Repair } from '../domain/diagnosis/finding.js';
import type { RunEvent } from '../domain/events/event.js';
import { textOf, type JsonObject } from '../lib/json.js';
import type { RunSpec } from '../domain/run.js';
import type { LogReader } from './log-port.js';
import { readApprovals, type ApprovalState } from './read-approvals.js';

/**
 * Reads which changes agents asked for in a run that may repair, and how each ended: calls with a
 * result, then those that have none because the run ends. Contract section 11.
 */
export async function readRepairs(
  log: LogReader,
  runId: string,
  { repair }: Pick<RunSpec, 'repair'>,
  evidence?: ReadonlyMap<string, number>,
): Promise<Repair[]> {
  if (repair !== true) return [];
  const byId = evidence ?? (await log.evidence(runId));
  const [events, asked] = await Promise.all([
    log.events(runId, [...byId.values()]) as Promise<RunEvent<'llm.tool_result'>[]>,
    readApprovals(log, runId),
  ]);
  const answered = new Set(events.map(({ data }) => data.approval?.approval_id));
  const open = asked.filter(({ approval }) => !answered.has(approval.data.approval_id));
  return [...events.flatMap((event) => repairIn(event) ?? []), ...open.map(withoutResult)];
}

function repairIn({ sequence, data }: RunEvent<'llm.tool_result'>): Repair | undefined {
  const { approval, tool, node, status } = data;
  if (!approval || node === undefined) return undefined;
  const result = data.result as JsonObject;
  const outcomes = {
    approve: status === 'ok' ? 'done' : 'failed',
    deny: 'refused',
    expired: 'expired',
  } as const;
  return {
    node,
    tool,
    outcome: outcomes[approval.decision],
    decided_by: approval.by,
    text: textOf(result, 'summary') || textOf(result, 'error') || status,
    evidence: [sequence],
  };
}

/** How a change ended whose call has no result. */
const WITHOUT_RESULT = {
  approve: [
    'failed',
    'The run ended before the result was recorded: the change may have been carried out.',
  ],
  deny: ['refused', 'A person refused it.'],
  expired: ['expired', 'It was not approved in time.'],
  open: ['expired', 'The run ended before a person decided: the change was not carried out.'],
} as const;

function withoutResult({ approval, decision }: ApprovalState): Repair {
  const { node, tool } = approval.data;
  const [outcome, text] = WITHOUT_RESULT[decision?.data.decision ?? 'open'];
  return {
    node,
    tool,
    outcome,
    text,
    decided_by: decision?.data.by ?? null,
    evidence: [approval.sequence],
  };
}
