import { z } from 'zod';
import { isObserved } from '../../domain/topology/recorded.js';
import type { RankedCause, RankedChange, Ranking } from '../../engine/ranking.js';
import type { Observations } from '../../engine/observations.js';
import { quoteLine } from '../../engine/logs/said-in-line.js';
import { round } from '../../engine/stats.js';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { groupBy } from '../../lib/group-by.js';
import { SourceError } from '../../sources/http/source-error.js';
import type { DamagedLines } from '../../sources/source-set.js';
import { UnreadNodesError } from '../../sources/unread-nodes.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { toolResult } from '../result.js';
import { isoTime } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { rankInThread } from './rank-in-thread.js';

const MOST_REASON = 300;
/** Of a log line. */
const MOST_QUOTED = 160;
/** Files. */
const MOST_LEFT_OUT = 10;

/** Maximum characters of the problem that the ranking searches in outputs. */
const MOST_PROBLEM = 2_000;

// Not strict: calls of earlier versions have a `question`, which chose what counts.
const args = z.object({ node: nodeArgument.describe('Any node: the whole topology is ranked') });
type Args = z.infer<typeof args>;

/**
 * Ranks the root causes over the whole topology, by all telemetry of its sources. Text of a model
 * has no influence: outputs that name the reported problem count more, by the message that the run
 * was started with.
 */
export const rankRootCauses: Tool<Args> = {
  name: 'rank_root_causes',
  access: 'read',
  measures: () => 'system',
  repeatable: true,
  scope: 'topology',
  args,
  appliesTo: (_node, sources) => isObserved(sources),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { failed, leftOut, ...seen } = await observed(context);
  const [failure] = failed.values();
  const isUnread = failure !== undefined && isEmpty(seen);
  // Otherwise the gaps say which nodes were not read.
  const isBroken = context.sources?.isRecorded && !(failure instanceof UnreadNodesError);
  if (isUnread && isBroken) throw failure;
  const ranking = await rankInThread(
    { seen, question: context.problem.slice(0, MOST_PROBLEM) },
    context.signal,
  );
  const broken = context.sources?.isRecorded
    ? [...failed.values()].filter((error) => !(error instanceof UnreadNodesError))
    : [];
  const damage = [
    ...leftOut.map(damageIn),
    ...broken.map(({ message }) => `${message}: the rest was left out`),
  ].slice(0, MOST_LEFT_OUT);
  const gaps = [
    ...[...failed].flatMap(([telemetry, error]) => gapsOf(telemetry, error)),
    ...leftOut.flatMap((each) =>
      each.isWhole ? [{ telemetry: each.telemetry, reason: damageIn(each), forbidden: false }] : [],
    ),
  ];
  const measurements = {
    ...(failure && { unread: [...failed].map(([what, { message }]) => `${what}: ${message}`) }),
    ...(gaps.length > 0 && { gaps }),
    ...(damage.length > 0 && { left_out: damage }),
    healthy: ranking.healthy,
    method: ranking.method,
    ...(ranking.passed?.node !== undefined && { passed: describePassed(ranking.passed) }),
    ...(ranking.refutation !== undefined && { refutation: ranking.refutation }),
    causes: ranking.causes.map(describeCause),
    changes: ranking.changes.map(describeChange),
    rejected: ranking.rejected.map((each) => ({ ...each })),
    ...(ranking.recent.length > 0 && {
      now: isoTime(seen.frame.now),
      recent: ranking.recent.map(({ at, ...each }) => ({ ...each, at: isoTime(at) })),
    }),
  };
  const summary = isUnread ? `no telemetry could be read: ${failure.message}` : summaryOf(ranking);
  return toolResult([summary, ...damage].join('; '), measurements, []);
}

/** `logs/app.ndjson: 2 damaged lines were left out, the first is line 11` */
function damageIn({ file, lines, first, isWhole }: DamagedLines): string {
  const damaged = lines === 1 ? '1 damaged line was' : `${lines} damaged lines were`;
  const rest = isWhole ? '; nothing of the file could be used' : '';
  return `${file}: ${damaged} left out, the first is line ${first}${rest}`;
}

/** The nodes without telemetry, and why: one gap for each reason. */
function gapsOf(telemetry: string, error: Error) {
  const gapOf = (cause: Error, nodes?: string[]) => ({
    telemetry,
    reason: cause.message.slice(0, MOST_REASON),
    forbidden: cause instanceof SourceError && cause.failure === 'refused',
    ...(nodes && { nodes }),
  });
  if (!(error instanceof UnreadNodesError)) return [gapOf(error)];
  const byReason = groupBy([...error.nodes], ([, { failure, message }]) =>
    JSON.stringify([failure === 'refused', message]),
  );
  return [...byReason.values()].flatMap((part) => {
    const [[, cause] = []] = part;
    const nodes = part.map(([node]) => node);
    return cause ? [gapOf(cause, nodes)] : [];
  });
}

const isEmpty = (seen: Observations): boolean =>
  [seen.series, seen.templates, seen.spans, seen.changes, seen.kubernetes, seen.recordings].every(
    ({ length }) => length === 0,
  );

const describeCause = ({ onset, score, confidence, ...cause }: RankedCause) => ({
  ...cause,
  // Ties of the ranking must remain the only ties.
  score: Number(score.toPrecision(10)),
  confidence: round(confidence),
  ...(onset !== undefined && Number.isFinite(onset) && { onset: isoTime(onset) }),
});

const describeChange = ({ liveAt, isCleared, for: pro, against, ...change }: RankedChange) => ({
  ...change,
  live_at: isoTime(liveAt),
  cleared: isCleared,
  for: pro.slice(0, 5),
  against: against.slice(0, 5),
});

const describePassed = ({ from, until, ...passed }: NonNullable<Ranking['passed']>) => ({
  ...passed,
  from: isoTime(from),
  until: isoTime(until),
});

function summaryOf({ healthy, causes, passed, refutation }: Ranking): string {
  const [first, second] = causes;
  if (passed)
    return `nothing is out of the ordinary now: ${passed.node ?? 'a node'} had errors from ${isoTime(passed.from)} until ${isoTime(passed.until)} (${quoteLine(passed.says, MOST_QUOTED)})`;
  if (refutation !== undefined)
    return `nothing is out of the ordinary, though an alert fired: ${refutation}`;
  if (healthy || first === undefined) return 'nothing is out of the ordinary';
  if (first.alertOnly) return `no root cause: ${first.node}: ${first.title}`;
  const also = second === undefined ? '' : `; then ${second.node}`;
  // Without a confidence: later measurements change it, and a report has one for each root cause.
  return `most suspect: ${first.node} (${first.kind}): ${first.title}${also}`;
}
