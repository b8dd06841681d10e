import { countText, rowsText } from '../replies/lists.js';
import { durationText, runLine } from '../replies/report.js';
import type { AnswerInput } from '../answer-input.js';
import { findRun, findTopology, isNamed, subjectOf } from '../subject/subject.js';

/** Maximum of diagnoses in a list. */
const MOST = 20;

/**
 * Lists the latest diagnoses of the topology in question, or of all topologies, or counts them.
 * @param usual how many, if the question does not say it; at most 20
 */
export function listRuns(asked: AnswerInput, usual: number): string {
  const topology_id = findTopology(asked);
  const { status, count = usual, asks } = asked.question;
  const isCounted = /\bhow many\b/.test(asks);
  const counted = isCounted ? asked.facts.count({ topology_id, status }) : 0;
  if (counted > 0) return countText(counted, topology_id, status);
  const limit = Math.max(1, Math.min(count, MOST));
  const rows = asked.facts.rows({ topology_id, status, limit });
  const more = count > limit ? `\nI list at most ${MOST} runs.` : '';
  return `${rowsText(rows, topology_id, status)}${more}`;
}

export const duration = (asked: AnswerInput): string => durationText(findRun(asked));

/**
 * Says if the run in question has ended, and when; of the last run or if none was discussed, lists
 * it.
 */
export function ended(asked: AnswerInput): string {
  const { question } = asked;
  return subjectOf(asked).runId !== undefined
    ? duration(asked)
    : listRuns({ ...asked, question: { ...question, status: undefined } }, 1);
}

/** Lists the diagnoses that are going on: everywhere if the question asks about anything. */
export const listActive = (asked: AnswerInput): string => {
  const { question } = asked;
  const status = question.status === 'queued' ? 'queued' : 'running';
  const isOfAll = question.isUnbound && !isNamed(asked);
  return listRuns({ ...asked, question: { ...question, status, latest: isOfAll } }, MOST);
};

/**
 * Lists the last diagnosis that failed, or says that none has: of the topology that the question
 * names, else of all.
 */
export const listFailed = (asked: AnswerInput): string =>
  listRuns({ ...asked, question: { ...asked.question, status: 'failed', latest: true } }, 1);

/** Says how many tokens the language models of a run used. */
export function spent(asked: AnswerInput): string {
  const { run } = findRun(asked);
  const { input_tokens = 0, output_tokens = 0 } = run.usage ?? {};
  const used =
    input_tokens + output_tokens === 0
      ? 'It used no tokens: no language model took part.'
      : `It used ${input_tokens + output_tokens} tokens, ${input_tokens} of them as input.`;
  return `${used}\n${runLine(run)}`;
}

/** Says with which words a run was started. */
export function startedBy(asked: AnswerInput): string {
  const { run } = findRun(asked);
  const isWho = /\bwho\b/.test(asked.question.asks);
  return [
    ...(isWho ? ['I do not know who started it.'] : []),
    `It was started with these words: "${run.user_message}".`,
    runLine(run),
  ].join('\n');
}
