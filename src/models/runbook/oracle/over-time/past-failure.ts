import { isClaim } from '../../../../domain/diagnosis/finding.js';
import { withName } from '../../../../domain/diagnosis/wording.js';
import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { list } from '../../plan.js';
import type { AnswerInput } from '../answer-input.js';
import { LAST_FOUND } from '../subject/earlier.js';
import { hasFailure, lastRows } from '../latest.js';
import { expectationOf, isHoped, quantifierFor, yesOrNo } from '../measured/expectation.js';
import { verdictThen } from '../replies/recovery.js';
import {
  foundText,
  isFault,
  nameOf,
  shortened,
  timeText,
  type DiagnosedRun,
} from '../replies/report.js';
import { diagnosed } from '../subject/subject.js';
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
  const { before, count, since } = lastFailure(asked, found, named);
  // A node of an earlier question that was never wrong is not what this one is about.
  if (!before && question.isInherited && named.length > 0)
    return pastFailure({ ...asked, question: { ...question, names: '' } }, found);
  const what = named.length === 0 ? '' : ` with ${list(named.map(({ name }) => name))}`;
  const expected = expectationOf(question.asks);
  const ofRun = (id: string) => ({ ...asked, question: { ...question, runIds: [id] } });
  if (!before)
    return {
      judgement: expected === undefined ? [] : [yesOrNo(isHoped(expected))],
      note: `Nothing was found to be wrong${what} in the last ${count === 1 ? 'diagnosis' : `${count} diagnoses`}, since ${timeText(since)}.`,
      asked: ofRun(run.run_id),
      found,
    };
  return {
    judgement:
      expected === undefined
        ? []
        : [verdictThen(before, named, { expected, quantifier: quantifierFor(question, named) })],
    note: `Nothing was found to be wrong${what} at ${timeText(run.ended_at ?? run.created_at)}. ${LAST_FOUND}`,
    asked: ofRun(before.run.run_id),
    found: before,
  };
}

interface LastFailure {
  /** The last diagnosis before one that found a failure. */
  before: DiagnosedRun | undefined;
  /** How many were considered. */
  count: number;
  /** When the first of them began. */
  since: string;
}

/** Finds the last diagnosis before one that found a failure: at some nodes, or at all. */
export function lastFailure(
  asked: AnswerInput,
  { run }: DiagnosedRun,
  nodes: readonly { id: string }[],
): LastFailure {
  const { facts } = asked;
  const rows = lastRows(facts, run.topology_id);
  const since = rows.at(-1)?.created_at ?? run.created_at;
  const earlier = rows
    .filter((row) => row.created_at < run.created_at && hasFailure(row))
    .map(({ run_id }) => run_id);
  const isMeant = (id: string) => nodes.some((node) => stateIn(facts.run(id), node.id) === 'wrong');
  if (nodes.length > 0) facts.runs(earlier);
  const id = nodes.length === 0 ? earlier[0] : earlier.find(isMeant);
  return {
    before: id === undefined ? undefined : diagnosed(asked, id),
    count: rows.length,
    since,
  };
}

/**
 * Lists what the last diagnosis that found a failure had found, at some nodes or at all, if a later
 * one found nothing to be wrong there; else empty.
 */
export function overLines(
  asked: AnswerInput,
  found: DiagnosedRun,
  nodes: readonly { id: string }[],
): string[] {
  const isWell =
    nodes.length === 0
      ? found.run.report?.verdict === 'healthy'
      : nodes.every(({ id }) => stateIn(found.run, id) === 'ok');
  const { before } = isWell ? lastFailure(asked, found, nodes) : { before: undefined };
  if (!before) return [];
  const { run_id, report, ended_at, created_at } = before.run;
  const faults = (report?.findings ?? []).filter(
    (each) =>
      isFault(each) &&
      !isClaim(each) &&
      (nodes.length === 0 || nodes.some(({ id }) => id === each.node)),
  );
  return [
    `It is over: the diagnosis of ${timeText(ended_at ?? created_at)} (run ${run_id}) had found:`,
    ...shortened(faults.map((each) => `- ${withName(nameOf(before, each.node), foundText(each))}`)),
  ];
}
