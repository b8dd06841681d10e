import type { ApprovalRecord, Client } from '../../client/index.js';
import { oneLine } from '../report/layout.js';
import { approveCommand } from './approve-command.js';

type ApprovalsClient = Pick<Client, 'url' | 'approvals' | 'runs'>;

/** Maximum number of runs that are searched for approvals, newest first. */
const MOST_RUNS = 100;

/** The approvals of a run that have no decision, as of now. */
export const openApprovals = async (
  client: Pick<Client, 'approvals'>,
  runId: string,
): Promise<ApprovalRecord[]> =>
  (await client.approvals(runId)).filter(({ state }) => state === 'open');

/**
 * Lists open approvals, each with the command that approves it.
 * @param runId undefined: of all diagnoses that run
 * @throws ConsiliumError as `Client.approvals`
 */
export async function listApprovals(client: ApprovalsClient, runId?: string): Promise<string> {
  if (runId !== undefined) {
    const lines = await linesOf(client, runId);
    return lines.length === 0 ? 'The run asks for nothing.' : lines.join('\n');
  }
  const lines: string[] = [];
  let looked = 0;
  for await (const run of client.runs({ status: 'running', kind: 'diagnosis' })) {
    if (looked++ === MOST_RUNS) {
      lines.push(`Only the newest ${MOST_RUNS} runs were checked.`);
      break;
    }
    lines.push(...(await linesOf(client, run.runId)));
  }
  return lines.length === 0 ? 'No run asks for anything.' : lines.join('\n');
}

const linesOf = async (client: ApprovalsClient, runId: string): Promise<string[]> =>
  (await openApprovals(client, runId)).flatMap(({ approvalId, message, risk, expiresAt }) => [
    oneLine(`${message} ${risk} Expires at ${expiresAt}.`),
    `  ${approveCommand(client.url, { runId, approvalId })}`,
  ]);
