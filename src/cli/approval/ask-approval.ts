import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import type { Client, EventData } from '../../client/index.js';
import { ConsiliumError } from '../../domain/errors.js';
import { oneLine } from '../report/layout.js';
import { approveCommand } from './approve-command.js';

type Approval = EventData['system.approval'];
type Service = Pick<Client, 'url' | 'decide'>;

/** How a command decides about the changes that a run proposes. */
export interface ApprovalOptions {
  /** Approves everything, without a question. */
  yes: boolean;
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
  /** Ends the question. */
  interrupt: AbortSignal;
  /**
   * Called at Ctrl-C while the question is open: a terminal that is read line by line sends no
   * signal.
   */
  onCtrlC: () => void;
}

/**
 * Answers the approvals of a run: asks on a terminal; without one, or if the credential may not
 * decide, prints the command with which another person approves.
 * @returns a function that takes an approval and resolves when the service has the decision, or the
 *   command is printed
 */
export function askApproval(
  client: Service,
  options: ApprovalOptions,
): (runId: string, approval: Approval) => Promise<void> {
  // One question at a time.
  let before: Promise<void> = Promise.resolve();
  return (runId, approval) => {
    before = before.then(() => answer(client, runId, approval, options));
    return before;
  };
}

async function answer(
  client: Service,
  runId: string,
  approval: Approval,
  options: ApprovalOptions,
): Promise<void> {
  const isAsking = options.yes || options.input.isTTY;
  const wanted = isAsking ? await decisionOf(approval, options) : undefined;
  if (wanted === undefined) {
    if (!isAsking) options.output.write(waitingText(client, runId, approval));
    return;
  }
  try {
    await client.decide(runId, approval, wanted);
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    // It expired, or another person decided first: the log has the decision.
    if (error.code !== 'APPROVAL_CLOSED' && error.code !== 'FORBIDDEN') throw error;
    options.output.write(`${oneLine(error.message)}\n`);
    if (error.code === 'FORBIDDEN') options.output.write(waitingText(client, runId, approval));
  }
}

const waitingText = (
  { url }: Service,
  runId: string,
  { approval_id: approvalId, message, risk, expires_at }: Approval,
): string =>
  `${oneLine(`${message} ${risk}`)}\nThe run waits for an approval until ${oneLine(expires_at)}:\n  ${approveCommand(url, { runId, approvalId })}\n`;

async function decisionOf(
  { message, risk, tool, args }: Approval,
  { yes, input, output, interrupt, onCtrlC }: ApprovalOptions,
): Promise<{ decision: 'approve' | 'deny'; reason?: string } | undefined> {
  if (yes) return { decision: 'approve', reason: 'approved in advance by --yes' };
  const lines = createInterface({ input, output });
  lines.on('SIGINT', onCtrlC);
  // The end of the input (Ctrl-D) is no approval.
  const ended = once(lines, 'close').then(() => '');
  const ask = (question: string): Promise<string> =>
    Promise.race([lines.question(question, { signal: interrupt }), ended]);
  try {
    const call = `${tool} ${JSON.stringify(args)}`;
    const question = `\n${oneLine(message)} ${oneLine(risk)}\n  ${oneLine(call)}\nApprove? [y/N] `;
    let text = await ask(question);
    if (!/^(y|yes|n|no|)$/i.test(text.trim())) text = await ask('Type y or n. Approve? [y/N] ');
    return { decision: /^y(es)?$/i.test(text.trim()) ? 'approve' : 'deny' };
  } catch (error) {
    if (interrupt.aborted) return undefined;
    // How later versions of Node report Ctrl-D.
    if ((error as Error).name === 'AbortError') return { decision: 'deny' };
    throw error;
  } finally {
    lines.close();
  }
}
