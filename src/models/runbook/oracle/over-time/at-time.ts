import { NEAREST } from '../subject/earlier.js';
import { count } from '../../plan.js';
import { NoAnswerError, type DiagnosisRow } from '../facts.js';
import { hasFailure } from '../latest.js';
import { countedText, ofTopology, rowLines, rowsText } from '../replies/lists.js';
import { reportText, runLine, timeText } from '../replies/report.js';
import type { AnswerInput } from '../answer-input.js';
import { diagnosed, findTopology } from '../subject/subject.js';
import type { TimeSpan } from './times.js';

/** Maximum of diagnoses that are considered of those up to the end of the time. */
const BACK = 20;
const DAY = 86_400_000;
/** What asks for faults, and not for all that ran. */
const FAILURE =
  /\b(?:wrong|breaks?|broken?|down|slow|fail\w*|problems?|issues?|errors?|incidents?|outages?|trouble|unhealthy|degraded|fire)\b/;

/** Asks which runs found something. */
const FOUND = /\b(?:found|find|broken?|unhealthy|problems?|issues?|root causes?)\b/;
const RUNS = /\b(?:runs?|diagnos[ei]s|executions?)\b/;

/**
 * Returns the run of a time, a list where there were several; if there was none, says so and names
 * the nearest.
 */
export function atTime(asked: AnswerInput): string {
  const { question, facts, brief } = asked;
  const { time, noTime, asks, status: named } = question;
  if (noTime !== undefined || !time)
    throw new NoAnswerError(
      `There is no time ${noTime ?? asks}. Give hours from 0 to 23 and minutes from 00 to 59, in UTC, as in "what happened at 12:30?".`,
    );
  if (time.from > brief.now)
    throw new NoAnswerError(`${spanText(time)} is still to come: no run is kept from that time.`);
  const isOfRuns = RUNS.test(asks);
  const status = isOfRuns ? named : undefined;
  const topology_id = findTopology({ ...asked, question: { ...question, latest: true } });
  const isCounted = isOfRuns && !time.isMoment && /\bhow many\b/.test(asks);
  if (isCounted && !FOUND.test(asks)) {
    const counted = facts.count({ topology_id, status, ...isoOf(time) });
    return `${whenText(time)} ${countedText(counted)} ${status === undefined ? '' : `${status} `}${counted === 1 ? 'run' : 'runs'}${ofTopology(topology_id)} began.`;
  }
  const wanted = { topology_id, status, limit: BACK };
  const until = new Date(time.to - 1).toISOString();
  const since = new Date(time.to).toISOString();
  // A run of the time began before its end; of the later ones, only the first can be the nearest.
  const [upTo = [], later = []] = facts.rowsOf([
    { ...wanted, until },
    { ...wanted, since, oldest_first: true, limit: 1 },
  ]);
  const rows = [...later, ...upTo];
  if (rows.length === 0) return rowsText(rows, topology_id, status);
  const inside = rows.filter((row) => distance(row, time) === 0);
  const what = status === undefined ? '' : `${status} `;
  const isPart = isBeyond(upTo, time.from);
  const more = isPart ? `\nThere may be more: I read at most ${BACK} runs.` : '';
  if (
    isCounted ||
    (inside.some(isWell) && !time.isMoment && status === undefined && FAILURE.test(asks))
  )
    return `${whenText(time)} ${faultsText(inside)}${more}`;
  const [first] = inside;
  if (inside.length > 1)
    return `${whenText(time)} these ${inside.length} ${what}runs were under way; ask me about one by its id:\n${rowLines(inside)}${more}`;
  if (first)
    return `${whenText(time)} this ${what}run was under way:\n${runText(asked, first)}${more}`;
  const nearest = rows.toSorted((a, b) => distance(a, time) - distance(b, time))[0] as DiagnosisRow;
  const kept = time.isMoment ? '' : ': no such run is kept from that time';
  const text = time.isMoment ? runText(asked, nearest) : rowLines([nearest]);
  return `${whenText(time)} no ${what}run was under way${kept}. ${NEAREST} ${timeText(nearest.created_at)}:\n${text}`;
}

const isoOf = ({ from, to }: TimeSpan) => ({
  since: new Date(from).toISOString(),
  until: new Date(to - 1).toISOString(),
});

const isWell = ({ verdict }: DiagnosisRow): boolean => verdict === 'healthy';

/** Lists the runs of several that failed or found issues. */
function faultsText(rows: readonly DiagnosisRow[]): string {
  const found = rows.filter((row) => row.status === 'failed' || hasFailure(row));
  return found.length === 0
    ? `no run failed or found issues, of ${count(rows.length, 'run')} that ${rows.length === 1 ? 'was' : 'were'} under way.`
    : `${found.length} of ${count(rows.length, 'run')} failed or found issues; ask me about one by its id:\n${rowLines(found)}`;
}

const isDay = ({ from, to }: TimeSpan): boolean => to - from === DAY && from % DAY === 0;

const whenText = (time: TimeSpan): string =>
  `${time.isMoment ? 'At' : isDay(time) ? 'On' : 'From'} ${spanText(time)}`;

/** Names a time with its day, in UTC. */
function spanText(time: TimeSpan): string {
  const minute = (ms: number) => `${timeText(new Date(ms).toISOString()).slice(0, 16)} UTC`;
  const from = minute(time.from);
  const to = minute(time.to);
  return time.isMoment ? from : isDay(time) ? `${from.slice(0, 10)} (UTC)` : `${from} to ${to}`;
}

/** Returns the ms between a run and a time; 0 if the run was active then. */
function distance({ created_at, ended_at }: DiagnosisRow, { from, to }: TimeSpan): number {
  const began = Date.parse(created_at);
  const ended = ended_at === null ? began : Date.parse(ended_at);
  return Math.max(0, began - (to - 1), from - ended);
}

/** Whether there may be earlier runs after a moment, which were not read. */
const isBeyond = (rows: readonly DiagnosisRow[], moment: number): boolean =>
  rows.length === BACK && rows.every(({ created_at }) => Date.parse(created_at) > moment);

const runText = (asked: AnswerInput, row: DiagnosisRow): string =>
  row.ended_at === null ? runLine(row) : reportText(diagnosed(asked, row.run_id));
