import { call } from '../../api/http.js';
import type { Approval } from '../../model/types.js';

export type Choice = 'approve' | 'deny';

/**
 * Sends a decision about exactly the call that was shown.
 * @throws Error with the message of the service
 */
export async function decide(
  runId: string,
  { approval_id, args_digest }: Approval['asked'],
  decision: Choice,
): Promise<void> {
  const path = `executions/${runId}/approvals/${encodeURIComponent(approval_id)}`;
  await call('POST', path, { body: { decision, args_digest } });
}
