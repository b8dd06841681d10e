import type { AnswerInput } from '../answer-input.js';
import { lastFailure } from '../over-time/past-failure.js';
import { reportText } from '../replies/report.js';
import { findRun } from '../subject/subject.js';

/** Asks for a postmortem, or for a report as a file. */
export const POSTMORTEM =
  /\bpost[ -]?mortem\b|\b(?:export|download|save)\b.*\breport\b|\breport\b.*\b(?:markdown|file)\b/;
const OF_REPORT = /\breport\b/;

/**
 * Says where the service writes a draft of a postmortem, or the report as Markdown: of the run in
 * question; if that found nothing to be wrong, of the last one before it that did.
 */
export function postmortem(asked: AnswerInput): string {
  const { question } = asked;
  const found = findRun(asked);
  const isWell = question.runIds.length === 0 && found.run.report?.verdict === 'healthy';
  const meant = (isWell ? lastFailure(asked, found, []).before : undefined) ?? found;
  const { run_id, ended_at, status } = meant.run;
  const [what, file] = OF_REPORT.test(question.asks)
    ? ['the report of this run as Markdown', 'report.md']
    : ['a draft of the postmortem of this run, with its timeline', 'postmortem.md'];
  const where =
    ended_at === null
      ? `The service writes ${what} when the run has ended; it is ${status}.`
      : `The service writes ${what}: GET /api/service/v1/executions/${run_id}/${file}`;
  return `${where}\n${reportText(meant)}`;
}
