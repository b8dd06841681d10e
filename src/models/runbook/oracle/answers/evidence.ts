import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { count } from '../../plan.js';
import { explainRun } from './answers.js';
import { errorOf } from '../measured/measured-node.js';
import { NoAnswerError } from '../facts.js';
import { pastFailure } from '../over-time/past-failure.js';
import type { Question } from '../reading/question.js';
import { measuredLines } from '../replies/nodes.js';
import {
  logText,
  runLine,
  thenLine,
  uncheckedLines,
  type DiagnosedRun,
} from '../replies/report.js';
import { certaintyText } from '../replies/certainty.js';
import type { AnswerInput } from '../answer-input.js';
import { findRun, isSaid } from '../subject/subject.js';

/** Maximum of log lines that are shown as evidence. */
const SHOWN = 8;
/** Maximum of nodes whose measurements are shown if nothing was found to be wrong. */
const MOST_NODES = 3;

/**
 * Returns the sequences to cite: for the nodes that the question names; without such nodes for the
 * root causes, else for all findings.
 */
function evidenceFor({ names }: Question, { run, shape: known }: DiagnosedRun): number[] {
  const { root_causes: causes = [], findings = [] } = run.report ?? {};
  const nodes = nodesIn(names, known).map(({ id }) => id);
  const own = [...causes, ...findings].filter(({ node }) => nodes.includes(node));
  const cited = nodes.length > 0 ? own : causes.length > 0 ? causes : findings;
  const sequences = new Set(cited.flatMap(({ evidence: all }) => all));
  return [...sequences].sort((a, b) => a - b).slice(0, SHOWN);
}

/**
 * Whether a diagnosis found nothing to be wrong: with the nodes that the question names, or at all.
 */
function isWellFor({ names }: Question, { run, shape: known }: DiagnosedRun): boolean {
  if (run.report === null) return false;
  const { root_causes: causes, findings } = run.report;
  const nodes = nodesIn(names, known).map(({ id }) => id);
  const faults = [...causes, ...findings.filter(({ severity }) => severity !== 'info')];
  return !faults.some(({ node }) => nodes.length === 0 || nodes.includes(node));
}

/** Answers with what was measured, if nothing was found to be wrong. */
function wellText(asked: AnswerInput, found: DiagnosedRun): string {
  const { run, shape } = found;
  const { facts, question } = asked;
  if (nodesIn(question.names, shape).length > 0) return explainRun(asked, found, true);
  const blind = new Set(run.report?.unchecked.map(({ node }) => node));
  const seen = shape?.nodes.filter(({ id }) => !blind.has(id)) ?? [];
  const shown = seen.slice(0, MOST_NODES);
  const measurements = facts.measured(
    run.run_id,
    shown.map(({ id }) => id),
  );
  const lines = measuredLines({ run: { ...run, measurements }, shape }, shown);
  return [
    'Nothing was found to be wrong.',
    `${seen.length} of ${count(shape?.nodes.length ?? 0, 'node')} checked.`,
    ...lines,
    ...uncheckedLines(found),
    runLine(run),
    thenLine(run),
  ].join('\n');
}

/**
 * Answers a person who does not believe a diagnosis: with how sure it is, and with its
 * measurements.
 */
export function disputed(asked: AnswerInput): string {
  if (!isSaid(asked))
    throw new NoAnswerError(`I have reported nothing in this conversation. ${asked.help}`);
  const found = findRun(asked);
  return [
    `It may be out of date: ask me to "diagnose topology ${found.run.topology_id}" to measure again. This is what I rely on.`,
    certaintyText(found),
    isWellFor(asked.question, found) ? wellText(asked, found) : evidence(asked, false),
  ].join('\n');
}

/**
 * Returns the log lines that a diagnosis cites.
 * @param explains also includes the findings, which stay if the log is gone
 */
export function evidence(asked: AnswerInput, explains: boolean): string {
  const found = findRun(asked);
  const { facts, question } = asked;
  const isOfFindings = explains || /\b(?:evidence|proof|prove)\b/.test(question.asks);
  const past = explains ? pastFailure(asked, found) : undefined;
  if (past) return [...past.judgement, past.note, evidence(past.asked, true)].join('\n');
  if (isOfFindings && isWellFor(question, found)) return wellText(asked, found);
  const { run_id } = found.run;
  const { failedLog } = facts;
  if (failedLog !== undefined) {
    if (!explains) throw new NoAnswerError(`I could not find that out: ${errorOf(failedLog)}`);
    return `${explainRun(asked, found)}\n${errorOf(failedLog)}`;
  }
  const cited = evidenceFor(question, found);
  if (explains && cited.length === 0) return explainRun(asked, found);
  const [node] = nodesIn(question.names, found.shape);
  const log = facts.log(
    cited.length > 0
      ? cited.map((sequence) => ({ run_id, after: sequence - 1, limit: 1 }))
      : [{ run_id, ...(node && { text: node.id }), limit: SHOWN }],
  );
  const lines = logText(run_id, log);
  if (!explains) return lines;
  // These lines are the measurements.
  const run = { ...found.run, measurements: [] };
  return `${explainRun(asked, { ...found, run })}\n${lines}`;
}
