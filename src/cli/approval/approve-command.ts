import { commandName } from '../command-name.js';

/** Where commands look for the service if they are given no other address. */
export const STANDARD_SERVER = 'http://127.0.0.1:3000';

/**
 * The command that approves a change, ready to be typed.
 * @param server address of the service that the run is on
 */
export function approveCommand(
  server: string,
  { runId, approvalId }: { runId: string; approvalId: string },
): string {
  const where = server === STANDARD_SERVER ? '' : ` --server ${server}`;
  return `${commandName('approve')} ${runId} ${approvalId}${where}`;
}
