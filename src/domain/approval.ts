/**
 * Ids of approvals (contract section 11), and the names under which a run records each of their
 * events at most once.
 */

/** The id of the approval of a tool call: the same when the agent asks again after a crash. */
export const approvalIdOf = (toolCallId: string): string => toolCallId.replaceAll('_', '-');

/** How the names of all approvals of a run begin, and of all decisions. */
export const [ASKED, DECIDED] = ['approval-', 'decision-'] as const;

export const askedOnce = (approvalId: string): string => `${ASKED}${approvalId}`;
export const decidedOnce = (approvalId: string): string => `${DECIDED}${approvalId}`;

/** Whether a text may be the id of an approval. */
export const isApprovalId = (text: string): boolean => /^[a-z0-9-]{1,60}$/.test(text);
