import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { LAST_FOUND } from '../earlier.js';
import { hasFailure, lastRows } from '../latest.js';
import { expectationOf, isHoped, quantifierFor, yesOrNo } from '../measured/expectation.js';
import { verdictThen } from '../replies/recovery.js';
import { timeText, type DiagnosedRun } from '../replies/report.js';
import { diagnosed } from '../subject.js';
import { stateIn } from './outage.js';
import { asksForPast } from './tense.js';

/** A question about what was, with the diagnosis that answers it. */
export interface PastFailure {
  /** Yes or no, if the question asks that; else nothing. */
  judgement: string[];
  /** How it is by the latest diagnosis. */
  note: string;
  asked: AnswerInput;
  found: DiagnosedRun;
}

/**
 * Returns the last diagnosis that found a failure, if a question asks what was and the diagnosis in
 * question found nothing: at the nodes that the question names, or at all. If none found any, the
 * diagnosis in question. Undefined if it is no such question.
 */
export function pastFailure(asked: AnswerInput, found: DiagnosedRun): PastFailure | undefined {
  const { question } = asked;
  const { run, shape } = found;
  if (!asksForPast(question)) return undefined;
  const named = nodesIn(question.names, shape);
  const isWell =
    named.length === 0
      ? run.report?.verdict === 'healthy'
      : named.every(({ id }) => stateIn(run, id) === 'ok');
  if (!isWell) return undefined;
  const { runId, count, since } = lastRunOf(asked, found, named);
  // A node of an earlier question that was never wrong is not what this one is about.
  if (runId === undefined && question.isInherited && named.length > 0)
    return pastFailure({ ...asked, question: { ...question, names: '' } }, found);
  const what = named.length === 0 ? '' : ` with ${list(named.map(({ name }) => name))}`;
  const expected = expectationOf(question.asks);
  const ofRun = (id: string) => ({ ...asked, question: { ...question, runIds: [id] } });
  if (runId === undefined)
    return {
      judgement: expected === undefined ? [] : [yesOrNo(isHoped(expected))],
      note: `Nothing was found to be wrong${what} in the last ${count === 1 ? 'diagnosis' : `${count} diagnoses`}, since ${timeText(since)}.`,
      asked: ofRun(run.run_id),
      found,
    };
  const before = diagnosed(asked, runId);
  return {
    judgement:
      expected === undefined
        ? []
        : [verdictThen(before, named, { expected, quantifier: quantifierFor(question, named) })],
    note: `Nothing was found to be wrong${what} at ${timeText(run.ended_at ?? run.created_at)}. ${LAST_FOUND}`,
    asked: ofRun(runId),
    found: before,
  };
}

/** The last diagnosis before one that found a failure, how many were considered, and since when. */
function lastRunOf(
  { facts }: AnswerInput,
  { run }: DiagnosedRun,
  nodes: readonly { id: string }[],
): { runId: string | undefined; count: number; since: string } {
  const rows = lastRows(facts, run.topology_id);
  const since = rows.at(-1)?.created_at ?? run.created_at;
  const earlier = rows
    .filter((row) => row.created_at < run.created_at && hasFailure(row))
    .map(({ run_id }) => run_id);
  const isMeant = (id: string) => nodes.some((node) => stateIn(facts.run(id), node.id) === 'wrong');
  if (nodes.length > 0) facts.runs(earlier);
  return {
    runId: nodes.length === 0 ? earlier[0] : earlier.find(isMeant),
    count: rows.length,
    since,
  };
}
