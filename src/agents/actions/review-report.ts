import type { LogPort } from '../../event-log/log-port.js';
import type { SessionDraft } from '../runtime/agent-session.js';
import type { Message } from '../runtime/conversation.js';
import type { CompletedAction } from './action.js';
import { evidenceOf, reconciled } from './evidence-of.js';
import { reachedLimit } from './limits-reached.js';
import { once } from './once.js';

/** Maximum number of claims that are named to the model. */
const MOST_CLAIMS = 10;

/** An instruction of the service: it stands outside of the data block that quotes the claims. */
const REQUEST =
  'Claims of your report are not supported by what was measured and would be dropped: the result of `report` lists them with the reasons. Correct them or leave them out, and call `report` again. You receive this message once.';

/**
 * Whether a report was made whose claims have not been checked, and the model has a turn left to
 * correct it. The deterministic planner would make the same report again.
 */
export const needsReview = (draft: SessionDraft): boolean =>
  draft.board.conclusion !== null &&
  draft.chain[0]?.isFree !== true &&
  !draft.board.failed &&
  !draft.board.warned.includes('claims') &&
  reachedLimit(draft) === null;

/**
 * Checks the claims of a report when it is made. A model whose report the measurements do not
 * support is told why, once, and may report again; if it does not, its first report counts.
 * Contract section 6. Changes the draft.
 * @returns the step that informs the model; null if there is nothing to report
 */
export async function reviewReport(
  draft: SessionDraft,
  log: LogPort,
): Promise<CompletedAction | null> {
  const { board } = draft;
  once(board, 'claims');
  const evidence = await evidenceOf(draft, log);
  const { dropped } = reconciled(draft, { ...evidence, below: [] });
  const calls = draft.messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls : [],
  );
  const call = calls.findLast(({ tool }) => tool === 'report');
  if (dropped.length === 0 || call === undefined) return null;
  board.stop = false;
  const faults = dropped
    .slice(0, MOST_CLAIMS)
    .map(({ node, title, why }) => `- "${title}" (${node}): ${why}.`);
  const messages: Message[] = [
    { role: 'result', id: call.id, failed: true, output: faults.join('\n') },
    { role: 'note', text: REQUEST },
  ];
  return { outcome: 'success', state: board, messages };
}
