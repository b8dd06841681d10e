import { nodesIn } from '../../../domain/topology/names-in-text.js';
import { errorOf, explainRun } from './answers.js';
import { Instead } from './facts.js';
import type { Question } from './question.js';
import { logText, type Diagnosed } from './reply-report.js';
import { certaintyText } from './reply-certainty.js';
import { findRun, isSaid, type Asked } from './subject.js';

/** Maximum of log lines that are shown as evidence. */
const SHOWN = 8;

/** Returns the sequences to cite: for the nodes that the question names, else for the root causes, else for all findings. */
function evidenceFor({ text }: Question, { run, shape: known }: Diagnosed): number[] {
  const { root_causes: causes = [], findings = [] } = run.report ?? {};
  const nodes = nodesIn(text, known).map(({ id }) => id);
  const own = [...causes, ...findings].filter(({ node }) => nodes.includes(node));
  const cited = own.length > 0 ? own : causes.length > 0 ? causes : findings;
  const sequences = new Set(cited.flatMap(({ evidence: all }) => all));
  return [...sequences].sort((a, b) => a - b).slice(0, SHOWN);
}

/** Answers a person who does not believe a diagnosis: with how sure it is, and with its measurements. */
export function disputed(asked: Asked): string {
  if (!isSaid(asked))
    throw new Instead(`I have reported nothing in this conversation. ${asked.help}`);
  const found = findRun(asked);
  return [
    `It may be out of date: ask me to "diagnose topology ${found.run.topology_id}" to measure again. This is what I rely on.`,
    certaintyText(found),
    evidence(asked, false),
  ].join('\n');
}

/** Returns the log lines that a diagnosis cites. @param explains also includes the findings, which stay if the log is gone */
export function evidence(asked: Asked, explains: boolean): string {
  const found = findRun(asked);
  const { facts, question } = asked;
  const { run_id } = found.run;
  const { failedLog } = facts;
  if (failedLog !== undefined) {
    if (!explains) throw new Instead(`I could not find that out: ${errorOf(failedLog)}`);
    return `${explainRun(asked, found)}\n${errorOf(failedLog)}`;
  }
  const cited = evidenceFor(question, found);
  if (explains && cited.length === 0) return explainRun(asked, found);
  const [node] = nodesIn(question.text, found.shape);
  const log = facts.log(
    cited.length > 0
      ? cited.map((sequence) => ({ run_id, after: sequence - 1, limit: 1 }))
      : [{ run_id, ...(node && { text: node.id }), limit: 20 }],
  );
  const lines = logText(run_id, log);
  return explains ? `${explainRun(asked, found)}\n${lines}` : lines;
}
