import { ASKED, DECIDED } from '../domain/approval.js';
import type { RunEvent } from '../domain/events/event.js';
import type { LogReader } from './log-port.js';

/** A change that an agent asked for, and the decision about it, if there is one. */
export interface ApprovalState {
  approval: RunEvent<'system.approval'>;
  decision?: RunEvent<'system.decision'>;
}

/**
 * Reads the approvals of a run, in the order of the log. A trimmed log has none. Contract section
 * 11.
 */
export async function readApprovals(log: LogReader, runId: string): Promise<ApprovalState[]> {
  const [asked, decided] = await Promise.all([
    log.givenUnder(runId, ASKED) as Promise<RunEvent<'system.approval'>[]>,
    log.givenUnder(runId, DECIDED) as Promise<RunEvent<'system.decision'>[]>,
  ]);
  const decisions = new Map(decided.map((event) => [event.data.approval_id, event]));
  return asked
    .filter(({ event }) => event.action === 'approval')
    .map((approval) => {
      const decision = decisions.get(approval.data.approval_id);
      return { approval, ...(decision && { decision }) };
    });
}
