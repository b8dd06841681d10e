import { unescapeMarkdown } from '../../../../lib/markdown.js';
import { isEverywhereHeading } from '../replies/every-topology.js';
import type { Run } from '../facts.js';
import { RUN_ID, TOPOLOGY_ID, type Remark } from '../reading/question.js';
import { timeText } from '../replies/report.js';

/**
 * How an answer names a run that only is the nearest to a time. It is not what the conversation is
 * about from then on.
 */
export const NEAREST = 'The nearest began at';
/**
 * How an answer begins that goes back to an earlier run, because the latest found nothing. The
 * conversation stays about the latest.
 */
export const LAST_FOUND = 'The last diagnosis that found something:';

/** The run and the topology that the conversation discussed last. */
export interface LastSubject {
  runId: string | undefined;
  topologyId: number | undefined;
}

/** What measurements found to be no longer wrong. */
export interface Recovery {
  /** A sentence that names the nodes. */
  text: string;
  /** When that was measured, as answers write it. */
  at: string;
  /** When the diagnosis ended with which they were compared, as answers write it. */
  since: string;
}

/** Lines that report on a topology. */
const LOOKED_AT = /^(?:topology (\d+) \(|no diagnosis of topology (\d+) has)/;
/** How an answer begins to a question that was not understood, or that names something unknown. */
const NOT_UNDERSTOOD =
  /^(?:I do not understand that\.|I know no node called |Topology \d+(?: \(.+?\))? has nothing called )/m;
/** How an answer says when was measured, and with which diagnosis that was compared. */
const COMPARED = /^Measured at (.+), compared with the diagnosis of (.+)\.$/m;
const MEASURED_NOW = /\bmeasured just now\b/i;
const RUN_OF = /\brun ([0-9a-f-]{36}) of topology (\d+)\b/;

/**
 * Returns the run and the topology that were discussed last: those that the person named, if they
 * exist, and those on which the oracle reported. Entries of a list, examples, the run that only was
 * nearest to a time, an answer about several topologies, and a question that was not understood do
 * not count. After an answer about all topologies, nothing is under discussion.
 */
export function discussedLast(remarks: readonly Remark[]): LastSubject {
  let mentions: LastSubject[] = [];
  for (const { by, text } of understoodOf(remarks)) {
    const lower = text.toLowerCase();
    if (by === 'oracle' && text.includes(NEAREST)) continue;
    // A question about all topologies ends what was discussed.
    if (by === 'oracle' && hasHeading(text)) mentions = [];
    if (by === 'oracle') mentions = mentions.filter((mention) => !isDenied(mention, lower));
    // What was measured now says more than an earlier run.
    if (by === 'oracle' && MEASURED_NOW.test(text))
      mentions = mentions.map(({ topologyId }) => ({ topologyId, runId: undefined }));
    const isEarlier = by === 'oracle' && text.includes(LAST_FOUND);
    const told = by === 'person' ? namedIn(lower) : reportedIn(lower);
    mentions.push(
      ...told
        .map((each) => (isEarlier ? { ...each, runId: undefined } : each))
        .filter(({ runId, topologyId }) => (runId ?? topologyId) !== undefined),
    );
  }
  const last = mentions.at(-1);
  if (!last) return { runId: undefined, topologyId: undefined };
  if (last.runId !== undefined) return withTopologyOf(last, mentions);
  const { topologyId } = last;
  const run = mentions.findLast(
    (mention) => mention.runId !== undefined && mention.topologyId === topologyId,
  );
  return { topologyId, runId: run?.runId };
}

/** A log names a run without its topology, which an answer named before. */
const withTopologyOf = ({ runId, topologyId }: LastSubject, all: readonly LastSubject[]) => ({
  runId,
  topologyId:
    topologyId ??
    all.findLast((each) => each.runId === runId && each.topologyId !== undefined)?.topologyId,
});

/**
 * What the last measurements of the conversation found to be no longer wrong; undefined if they
 * found no such node.
 */
export function recoveredIn(remarks: readonly Remark[]): Recovery | undefined {
  const last = remarks.findLast(({ by, text }) => by === 'oracle' && MEASURED_NOW.test(text));
  const answer = unescapeMarkdown(last?.text ?? '');
  const [text] = /\bNo longer wrong: .+?\.(?=\s|$)/m.exec(answer) ?? [];
  const [, at, since] = COMPARED.exec(answer) ?? [];
  return text === undefined || at === undefined || since === undefined
    ? undefined
    : { text, at, since };
}

/** Whether the conversation has measured nodes. */
export const hasMeasured = (remarks: readonly Remark[]): boolean =>
  remarks.some(({ by, text }) => by === 'oracle' && MEASURED_NOW.test(text));

/** What the conversation has measured to be no longer wrong since a diagnosis ended. */
export const recoveredSince = (
  recovered: Recovery | undefined,
  { ended_at, created_at }: Run,
): Recovery | undefined =>
  recovered && recovered.since >= timeText(ended_at ?? created_at) ? recovered : undefined;

/**
 * Leaves out the questions that were not understood, with their answers.
 * @param remarks oldest first
 */
export const understoodOf = (remarks: readonly Remark[]): Remark[] =>
  remarks.filter(({ by, text }, i) => {
    const answer =
      by === 'oracle' ? text : (remarks[i + 1]?.by === 'oracle' && remarks[i + 1]?.text) || '';
    return !NOT_UNDERSTOOD.test(answer);
  });

/** Whether an answer is about all topologies. */
export const isEverywhere = (answer: string): boolean =>
  hasHeading(answer) || topologiesIn(answer.toLowerCase()).size > 1;

const hasHeading = (answer: string): boolean => answer.split('\n').some(isEverywhereHeading);

const topologiesIn = (lower: string): ReadonlySet<number> =>
  new Set(
    lower
      .split('\n')
      .flatMap(lookedAtIn)
      .flatMap(({ topologyId }) => topologyId ?? []),
  );

/** On which run and topology an answer reports: none if it is about several topologies. */
const reportedIn = (lower: string): LastSubject[] =>
  topologiesIn(lower).size > 1 ? [] : lower.split('\n').flatMap(lookedAtIn);

const isDenied = ({ runId, topologyId }: LastSubject, text: string): boolean =>
  (runId !== undefined && text.includes(`there is no diagnosis ${runId}`)) ||
  (topologyId !== undefined && text.includes(`there is no topology ${topologyId}.`));

const namedIn = (text: string): LastSubject[] => [
  ...(/\btopolog/.test(text) ? [...text.matchAll(TOPOLOGY_ID)] : []).map(([, id]) => ({
    runId: undefined,
    topologyId: Number(id),
  })),
  ...(text.match(RUN_ID) ?? []).map((runId) => ({ runId, topologyId: undefined })),
];

function lookedAtIn(line: string): LastSubject[] {
  if (line.startsWith('- ') || line.includes('there is no ')) return [];
  const [, runId, topologyId] = RUN_OF.exec(line) ?? [];
  if (runId !== undefined) return [{ runId, topologyId: Number(topologyId) }];
  const [, shown, undiagnosed] = LOOKED_AT.exec(line) ?? [];
  const looked = shown ?? undiagnosed;
  if (looked !== undefined) return [{ runId: undefined, topologyId: Number(looked) }];
  return (line.match(RUN_ID) ?? []).map((each) => ({ runId: each, topologyId: undefined }));
}
