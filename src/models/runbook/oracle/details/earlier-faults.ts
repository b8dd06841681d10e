import type { AnswerInput } from '../answer-input.js';
import type { Shape } from '../facts.js';
import { shortened, timeText, type DiagnosedRun } from '../replies/report.js';
import { viewOfRun } from './topic-view.js';
import type { Topic } from './topics.js';

/** Maximum of diagnoses that are read. */
const READ = 10;

const BEFORE = /\b(?:before(?! (?:the|this|that|it)\b)|earlier|previously)\b/;

/**
 * Whether a question asks about the time before the diagnosis in question: that one is then no
 * evidence.
 */
export const asksForBefore = (asks: string): boolean => BEFORE.test(asks);

/** What the diagnoses before one found about a topic. */
interface EarlierFaults {
  /** How many were read. */
  count: number;
  /** When the first of them began; undefined if there is none. */
  since: string | undefined;
  /** The faults, newest first. */
  lines: string[];
}

export const NONE_EARLIER: EarlierFaults = { count: 0, since: undefined, lines: [] };

/** Reads what the diagnoses before one found about a topic. */
export function earlierFaults(
  asked: AnswerInput,
  { run, shape }: DiagnosedRun,
  topic: Topic,
  named: Shape['nodes'],
): EarlierFaults {
  const { facts } = asked;
  const rows = facts
    .rows({ topology_id: run.topology_id, status: 'completed', limit: READ })
    .filter(({ created_at }) => created_at < run.created_at);
  const lines = facts
    .runs(rows.map(({ run_id }) => run_id))
    .flatMap((each) =>
      viewOfRun(asked, { run: each, shape }, topic, { named, readsLog: false }).faults.map(
        (text) => `- ${timeText(each.created_at)}: ${text}`,
      ),
    );
  return {
    count: rows.length,
    since: rows.at(-1)?.created_at,
    lines: lines.length === 0 ? [] : ['Earlier diagnoses found:', ...shortened(lines)],
  };
}

/** Says with yes or no whether there were faults before a diagnosis, by the earlier ones alone. */
export function beforeText(
  { count, since, lines }: EarlierFaults,
  topic: Topic,
  asksForWell: boolean,
): string {
  if (since === undefined)
    return `I cannot tell: there is no earlier diagnosis among the last ${READ}.`;
  const isFound = lines.length > 0;
  if (isFound) return asksForWell ? 'No.' : 'Yes.';
  const those = count === 1 ? 'the earlier diagnosis' : `the ${count} earlier diagnoses`;
  return `${asksForWell ? 'Yes' : 'No'}: nothing about ${topic.name} was found to be wrong in ${those}, since ${timeText(since)}.`;
}
