import { nodesIn } from '../../../../domain/topology/names-in-text.js';
import { explainRun, states } from './answers.js';
import { NoAnswerError, type DiagnosisRow, type Run } from '../facts.js';
import { everywhere } from './others.js';
import { unknownWords } from '../reading/question.js';
import { asksYesOrNo, yesOrNo } from '../measured/expectation.js';
import { BOTH_SAME, compareText } from '../replies/compare.js';
import { runLine, timeText } from '../replies/report.js';
import type { AnswerInput } from '../answer-input.js';
import {
  diagnosed,
  findRun,
  findTopology,
  latestOf,
  needTopology,
  topologiesNamed,
  wrongNow,
} from '../subject/subject.js';

/** Maximum of earlier diagnoses among which a healthy one is looked for. */
const BACK = 20;

/** Asks what is different from the time when all was well. */
const SINCE_WELL = /\bsince\b.*\b(?:healthy|well|ok|okay|fine|good|green|normal|work(?:ed|ing))\b/;

/** Compares what the conversation is about with what the question names. */
const WITH_IT = /\b(?:it|this|that)\b|\bcompar\w+ (?:with|to|against)\b/;

/** Asks which of several is the worse one, and not which diagnosis of one is. */
const WHICH_IS_WORSE =
  /\bwhich\b(?!.*\b(?:runs?|diagnos[ei]s|executions?)\b).*\b(?:is|are) (?:worse|better)\b/;
const OF_NODES = /\b(?:nodes?|services?)\b/;

/** Asks for the difference from a time, not for what changed in it or since. */
const WITH_A_DAY = /^(?!.*\bsince\b).*\b(?:compar\w+|differ\w*|worse|better)\b/;

/** Asks whether both found the same. */
const FOUND_SAME =
  /\b(?:find|found|saw|see|have|had)\b.*\bsame\b|\bsame (?:results?|findings?|verdicts?)\b/;

/** Compares a diagnosis with the one before it, and not with the latest. */
const WITH_BEFORE = /\b(?:previous|earlier|before)\b/;

/**
 * Compares diagnoses that the question names by their ids, or two topologies by their latest
 * diagnoses, or the last diagnosis of one topology with the one before it, with the last one before
 * a time, or with the last one that was healthy.
 */
export function compare(asked: AnswerInput): string {
  const text = comparison(asked);
  const { asks } = asked.question;
  return FOUND_SAME.test(asks) && asksYesOrNo(asks)
    ? `${yesOrNo(text.includes(BOTH_SAME))}\n${text}`
    : text;
}

function comparison(asked: AnswerInput): string {
  const [runId, ...otherIds] = new Set(asked.question.runIds);
  if (runId !== undefined) return compareRuns(asked, runId, otherIds);
  const [one, other, ...more] = topologiesNamed(asked);
  if (more.length > 0)
    throw new NoAnswerError('I compare two topologies at a time: name two of them.');
  if (one !== undefined && other !== undefined) return compareLatest(asked, one, other);
  const home = asked.brief.topology?.id ?? asked.before.topologyId;
  if (one !== undefined && WITH_IT.test(asked.question.asks) && home !== undefined && home !== one)
    return compareLatest(asked, home, one);
  const { asks, rest } = asked.question;
  if (WHICH_IS_WORSE.test(asks) && one === undefined && unknownWords(rest).length === 0)
    return OF_NODES.test(asks) ? states(asked) : everywhere(asked);
  const ofBoth = { ...asked, question: { ...asked.question, latest: false } };
  const topology_id =
    findTopology(ofBoth) ?? wrongNow(asked) ?? needTopology(ofBoth, 'Of which topology?');
  const { names } = asked.question;
  if (names !== '' && nodesIn(names, asked.facts.shape(topology_id)).length > 1)
    return `I compare topologies and diagnoses. This is how these nodes were found:\n${explainRun(asked, findRun(asked))}`;
  const rows = SINCE_WELL.test(asked.question.asks)
    ? rowsSinceWell(asked, topology_id)
    : completedRows(asked, topology_id);
  asked.facts.runs(rows.map(({ run_id }) => run_id));
  const [latest, before] = rows.map(({ run_id }) => diagnosed(asked, run_id));
  if (!latest || !before)
    throw new NoAnswerError(
      `Topology ${topology_id} has ${rows.length === 1 ? 'only one completed diagnosis' : 'no completed diagnosis'}: there is nothing to compare.`,
    );
  return compareText(before, latest);
}

/**
 * Compares two diagnoses, the earlier one first if they are of one topology; or one with the latest
 * of its topology or of the one that is named, or with the one before it.
 */
function compareRuns(asked: AnswerInput, runId: string, otherIds: readonly string[]): string {
  const [otherId, ...more] = otherIds;
  if (more.length > 0)
    throw new NoAnswerError('I compare two diagnoses at a time: name two of them.');
  if (otherId !== undefined) asked.facts.runs([runId, otherId]);
  const one = diagnosed(asked, runId);
  const other = diagnosed(asked, otherId ?? counterpart(asked, one.run));
  const isSwapped =
    one.run.topology_id === other.run.topology_id && one.run.created_at > other.run.created_at;
  return isSwapped ? compareText(other, one) : compareText(one, other);
}

/** Returns the id of the diagnosis that one is compared with if the question names no other. */
function counterpart(asked: AnswerInput, { run_id, topology_id, created_at }: Run): string {
  const { facts, before, question } = asked;
  const [named] = topologiesNamed(asked);
  if (named !== undefined && named !== topology_id) return latestOf(asked, named).run.run_id;
  const isOfIt = WITH_IT.test(question.asks) && before.runId !== run_id;
  if (before.runId !== undefined && isOfIt) return before.runId;
  // The list may have the run itself: it is listed under the time at which it was accepted.
  const wanted = { ...COMPLETED, topology_id, limit: 2 };
  const until = new Date(Date.parse(created_at) - 1).toISOString();
  const [latest] = WITH_BEFORE.test(question.asks) ? [] : facts.rows(wanted);
  const isOther = latest !== undefined && latest.run_id !== run_id;
  const earlier = () => facts.rows({ ...wanted, until }).find((row) => row.run_id !== run_id);
  const other = isOther ? latest : earlier();
  if (!other)
    throw new NoAnswerError(
      `No diagnosis of topology ${topology_id} completed before ${timeText(created_at)}: there is nothing to compare.`,
    );
  return other.run_id;
}

/**
 * Which diagnoses are listed before two are read: a list that names suspects is no source, so that
 * nothing is cited if there are no two.
 */
const COMPLETED = { status: 'completed', suspects: true } as const;

/** Compares two topologies by their latest diagnoses. @throws NoAnswerError if one has none */
function compareLatest(asked: AnswerInput, one: number, other: number): string {
  const both = [one, other];
  const rows = asked.facts.rowsOf(
    both.map((topology_id) => ({ ...COMPLETED, topology_id, limit: 1 })),
  );
  const undiagnosed = both.find((_, i) => rows[i]?.length === 0);
  if (undiagnosed !== undefined) latestOf(asked, undiagnosed);
  return compareText(latestOf(asked, one), latestOf(asked, other));
}

/**
 * Returns the latest completed diagnosis of a topology, and the one before it; or the last one
 * before the time of the question.
 */
function completedRows(
  { facts, question: { time, asks } }: AnswerInput,
  topology_id: number,
): DiagnosisRow[] {
  const wanted = { ...COMPLETED, topology_id };
  if (!time) return facts.rows({ ...wanted, limit: 2 });
  const until = new Date(WITH_A_DAY.test(asks) ? time.to - 1 : time.from).toISOString();
  const both = facts.rowsOf([
    { ...wanted, limit: 1 },
    { ...wanted, until, limit: 1 },
  ]);
  if (both[1]?.length === 0)
    throw new NoAnswerError(
      `No diagnosis of topology ${topology_id} completed before ${timeText(until)}: there is nothing to compare.`,
    );
  return [...new Map(both.flat().map((row) => [row.run_id, row])).values()];
}

/**
 * Returns the latest completed diagnosis of a topology, and the last one before it that found the
 * topology healthy.
 */
function rowsSinceWell({ facts }: AnswerInput, topology_id: number): DiagnosisRow[] {
  const rows = facts.rows({ ...COMPLETED, topology_id, limit: BACK });
  const [latest] = rows;
  const well = rows.find(({ verdict }) => verdict === 'healthy');
  if (latest && !well)
    throw new NoAnswerError(
      `None of the last ${rows.length === 1 ? 'diagnosis' : `${rows.length} diagnoses`} of topology ${topology_id} found it healthy: there is nothing to compare.`,
    );
  if (latest && latest === well)
    throw new NoAnswerError(
      `The latest diagnosis of topology ${topology_id} found it healthy.\n${runLine(facts.run(latest.run_id))}`,
    );
  return latest && well ? [latest, well] : [];
}
