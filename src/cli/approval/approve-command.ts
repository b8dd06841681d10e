import { commandName } from '../command-name.js';

/** The default address of the service for commands. */
export const STANDARD_SERVER = 'http://127.0.0.1:3000';

/**
 * The command that approves a change, ready to be pasted.
 * @param server address of the service of the run
 */
export function approveCommand(
  server: string,
  { runId, approvalId }: { runId: string; approvalId: string },
): string {
  const where = server === STANDARD_SERVER ? '' : ` --server ${server}`;
  return `${commandName('approve')} ${runId} ${approvalId}${where}`;
}
