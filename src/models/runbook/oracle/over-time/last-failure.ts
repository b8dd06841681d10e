import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import type { AnswerInput } from '../answer-input.js';
import { LAST_FOUND } from '../earlier.js';
import { timeText, type DiagnosedRun } from '../replies/report.js';
import { diagnosed } from '../subject.js';

/** Asks what was wrong: "what was it?", "why did it break?" */
const PAST =
  /\b(?:what|why|which|who|where|how)\b.*\b(?:was|were|did|had|caused|happened|broke|failed|went)\b/;
/** Asks what a diagnosis did, and not what was wrong. */
const OF_DIAGNOSIS =
  /\b(?:find|found|check\w*|measured?|tested|looked|you|runs?|diagnos[ei]s|executions?|say|said|report\w*|last|latest)\b/;
/** Maximum of diagnoses among which one that found something is looked for. */
const BACK = 20;

/** A question about an earlier diagnosis, with a line that says so. */
export interface PastFailure {
  note: string;
  asked: AnswerInput;
  found: DiagnosedRun;
}

/**
 * Returns the last diagnosis that found something to be wrong, if a question asks what was wrong
 * and the diagnosis in question found nothing; else undefined. A node that the question names has
 * its own history.
 */
export function atLastFailure(asked: AnswerInput, found: DiagnosedRun): PastFailure | undefined {
  const { question, facts } = asked;
  const { run, shape } = found;
  const isOfRun = question.runIds.length > 0 || run.report?.verdict !== 'healthy';
  if (isOfRun || !PAST.test(question.asks) || OF_DIAGNOSIS.test(question.asks)) return undefined;
  if (nodesIn(question.names, shape).length > 0) return undefined;
  const rows = facts.rows({ topology_id: run.topology_id, status: 'completed', limit: BACK });
  const before = rows.find(
    ({ verdict, created_at }) =>
      created_at < run.created_at && (verdict === 'root_cause_found' || verdict === 'issues_found'),
  );
  if (!before) return undefined;
  return {
    note: `Nothing was found to be wrong at ${timeText(run.ended_at ?? run.created_at)}. ${LAST_FOUND}`,
    asked: { ...asked, question: { ...question, runIds: [before.run_id] } },
    found: diagnosed(asked, before.run_id),
  };
}
