import { LEAST_CAUSE_SCORE, rankChanges, type ChangeSuspect } from './changes/change-suspects.js';
import { idOfChange, shortId, titleOfChange } from './changes/unread-changes.js';
import { callsIn, isLinked } from './call-graph.js';
import type { ExternalCause } from './outside/external-cause.js';
import { externalCauses, inOwnWords } from './outside/external-causes.js';
import { faultTexts } from './fault-texts.js';
import { rankFailingNodes } from './first-failing.js';
import { kindOfExternal, kindOfFailure } from './kind-of-failure.js';
import type { Observations, Anomalies } from './observations.js';
import { placeCause, placeOf } from './place-cause.js';
import type { RankedCause, RankedChange } from './ranking.js';
import { lockHolder } from './logs/lock-holder.js';
import { quoteLine } from './logs/said-in-line.js';
import { stepsOfText } from './logs/steps-of-text.js';
import { meaningOf, nameOfSeries } from './series/meaning-of-metric.js';
import { showsFailure, type Sign } from './signs/sign.js';
import { clamp } from './stats.js';
import { symptomStrengths, type FaultText } from './symptoms.js';

const MOST_CAUSES = 10;
export const MOST_CHANGES = 8;

/**
 * Ranks nodes by which failed first, and finds the change, or the external cause, that explains the
 * telemetry.
 */
export function rankByChanges(
  seen: Observations,
  anomalies: Anomalies,
): { causes: RankedCause[]; changes: RankedChange[] } {
  const { texts, external, suspects, failing: unplaced } = judgeChanges(seen, anomalies);
  const causingChange = convicted(suspects);
  const [strongest] = external;
  const cause = causingChange || !strongest ? undefined : ofNeighbour(strongest, seen, anomalies);
  const names = new Set(seen.nodes.map(({ id }) => id));
  const calls = callsIn(seen);
  const place = placeOf(seen, texts, causingChange, cause);
  const failing = placeCause(unplaced, place, calls);
  const isAboutFirst = ({ node }: { node?: string }) => isRelated(node, failing[0]?.node, calls);
  const outside = cause && isAboutFirst(cause) ? cause : undefined;
  const kind = kindOfFailure(
    causingChange?.mechanism,
    outside,
    symptomStrengths(
      aboutNode(texts, failing[0]?.node, calls)
        .filter(
          ({ from, node }) =>
            from !== 'operation' && (from !== 'metric' || node === failing[0]?.node),
        )
        .map((each) => withoutNames(each, names)),
    ),
    failing[0]?.kinds,
  );
  const holder = kind === 'lock' ? lockHolder(seen, anomalies) : undefined;
  // If the node's own evidence shows something else, an external cause does not explain it.
  const explains = outside && kindOfExternal(outside) === kind ? outside : undefined;
  const told = explains && inOwnWords(explains, failing[0]?.node, texts);
  const lead = (failing[0]?.score ?? 0) - (failing[1]?.score ?? 0);
  const causes = failing
    .slice(0, MOST_CAUSES)
    .map(({ node, score, since, kinds, alertOnly, evidence, ...said }, rank): RankedCause => {
      const isUnexplained = alertOnly && !(rank === 0 && (causingChange ?? outside));
      const began = evidence.some(isOwnFailure) ? since : undefined;
      const headline = rank === 0 ? headlineOf(kind, evidence) : undefined;
      const onset = rank === 0 ? earliest(began, movesOf(node, anomalies)) : began;
      return {
        node,
        score,
        kind: rank === 0 ? kind : (kinds[0]?.[0] ?? 'unknown'),
        ...(rank === 0 &&
          !causingChange &&
          (told ? stepsOfText(kind, told.says) : stepsIn(headline, kind))),
        confidence:
          rank === 0
            ? confidenceOf(lead, causingChange, explains)
            : clamp(0.5 - 0.1 * rank - lead / 10, 0.05, 0.4),
        title: isUnexplained
          ? 'an alert is about it, and nothing that was recorded shows why'
          : rank === 0
            ? titleOf(causingChange, told, kind, headline?.says ?? said.for[0])
            : (said.for[0] ?? 'is unhealthy'),
        ...(rank === 0 &&
          causingChange && { change: idOfChange(causingChange.change) ?? 'unknown' }),
        ...(onset !== undefined && Number.isFinite(onset) && { onset }),
        ...(isUnexplained && { alertOnly }),
        for: [
          ...(rank === 0 && holder !== undefined ? [holder] : []),
          ...(rank === 0 ? reasonsFor(causingChange, told) : []),
          ...said.for,
        ],
        against: said.against,
      };
    });
  return { causes, changes: suspects.slice(0, MOST_CHANGES).map(describeChange) };
}

/** If several changes explain nearly as much, they are suspects, and none of them is the cause. */
const NEARLY = 0.85;

function convicted(suspects: readonly ChangeSuspect[]): ChangeSuspect | undefined {
  const [first, second] = suspects;
  if (first === undefined || first.score < LEAST_CAUSE_SCORE) return undefined;
  return (second?.score ?? 0) > NEARLY * first.score ? undefined : first;
}

/** How well every change explains the failure, most suspect first, with the basis of its score. */
export function judgeChanges(seen: Observations, anomalies: Anomalies) {
  const texts = faultTexts(seen, anomalies);
  const symptoms = symptomStrengths(texts);
  const external = externalCauses(seen, anomalies, texts);
  const failing = rankFailingNodes(seen, anomalies);
  const suspects = rankChanges(seen, { anomalies, texts, symptoms, external, failing });
  return { texts, symptoms, external, suspects, failing };
}

/**
 * A statement of one node is not about another one without a call between them, if calls are known.
 */
function isRelated(
  speaker: string | undefined,
  node: string | undefined,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const hasCalls = (id: string) =>
    (calls.get(id)?.size ?? 0) > 0 || [...calls.values()].some((called) => called.has(id));
  if (speaker === undefined || node === undefined) return true;
  return isLinked(speaker, node, calls) || !hasCalls(node) || !hasCalls(speaker);
}

/**
 * The statements about a node. Nodes without known calls may speak about it only if it has no signs
 * of its own in words.
 */
function aboutNode(
  texts: readonly FaultText[],
  node: string | undefined,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): FaultText[] {
  const related = texts.filter((each) => isRelated(each.node, node, calls));
  const speaks = related.some((each) => each.node === node && IN_WORDS.has(each.from));
  if (node === undefined || !speaks) return related;
  return related.filter((each) => each.node === undefined || isLinked(each.node, node, calls));
}

const IN_WORDS: ReadonlySet<FaultText['from']> = new Set(['log', 'span', 'cluster', 'pattern']);

/** Growth factor of its processor use, while its host has none left. */
const GREEDY = 2;

/**
 * If a machine has no processor time left, and one of its nodes began to use much more, that node
 * is the cause.
 */
function ofNeighbour(
  cause: ExternalCause,
  { nodes }: Observations,
  { moved, alertNode }: Anomalies,
): ExternalCause {
  if (cause.kind !== 'infrastructure') return cause;
  const onHost = nodes.filter(({ dependsOn }) => dependsOn.includes(cause.node ?? ''));
  const greedy = onHost.filter(({ id }) =>
    moved.some(
      ({ node, onset, ...series }) =>
        node === id &&
        meaningOf(nameOfSeries(series))?.kind === 'cpu-saturated' &&
        onset.to >= GREEDY * onset.from,
    ),
  );
  const [one] = greedy;
  if (one === undefined || greedy.length > 1 || onHost.length < 2 || one.id === alertNode)
    return cause;
  const says = `neighbour ${one.id} takes the processor of ${cause.node ?? 'its host'}, which others share`;
  return { ...cause, says, node: one.id };
}

/** A node whose name contains `memory` does not lack memory. */
function withoutNames(fault: FaultText, names: ReadonlySet<string>): FaultText {
  let { text } = fault;
  for (const name of names) text = text.replaceAll(name, ' ');
  return { ...fault, text };
}

/** When series of a node moved, including those that show no failure by themselves. */
const movesOf = (id: string, { moved }: Anomalies): number[] =>
  moved.flatMap(({ node, onset }) => (node === id ? [onset.at] : []));

const earliest = (since: number | undefined, times: readonly number[]): number =>
  Math.min(since ?? Infinity, ...times);

/** A report of others is not a failure that a node shows itself. */
const isOwnFailure = (sign: Sign): boolean => sign.from !== 'caller' && showsFailure(sign);

/**
 * What shows the named failure, in the words of the node itself if it has any; otherwise the
 * strongest sign.
 */
function headlineOf(kind: string, evidence: readonly Sign[]): Sign | undefined {
  const own = evidence.filter((sign) => sign.kind === kind);
  const said = own.find(({ from }) => from === 'log' || from === 'kubernetes');
  return said ?? own[0] ?? evidence[0];
}

/** The next steps that a sign names, if it shows that kind of failure. */
const stepsIn = (sign: Sign | undefined, kind: string): { steps?: string } =>
  sign?.steps !== undefined && sign.kind === kind ? { steps: sign.steps } : {};

const MOST_TITLE = 160;
const MOST_REASON = 240;

export function titleOf(
  causingChange: ChangeSuspect | undefined,
  outside: ExternalCause | undefined,
  kind: string,
  says = 'it became unhealthy first',
): string {
  const name = kind === 'unknown' ? 'fails' : kind.replaceAll('-', ' ');
  if (causingChange)
    return `${name}, ${causingChange.mechanism === undefined ? 'likely ' : ''}caused by change ${shortId(idOfChange(causingChange.change) ?? '')}: ${titleOfChange(causingChange.change)}`;
  if (outside) return `${name}, external cause: ${quoteLine(outside.says, MOST_TITLE)}`;
  return `${name}: ${says}`;
}

const reasonsFor = (
  causingChange: ChangeSuspect | undefined,
  outside: ExternalCause | undefined,
): string[] =>
  causingChange ? causingChange.for : outside ? [quoteLine(outside.says, MOST_REASON)] : [];

/** The score from which a change is nearly proven; a change with an unknown mechanism never is. */
const SUREST = 0.6;
const SUREST_UNEXPLAINED = 1;
/** The remaining confidence in a change for each reason against it. */
const DOUBTED = 0.9;

function confidenceOf(
  lead: number,
  causingChange: ChangeSuspect | undefined,
  outside: ExternalCause | undefined,
): number {
  const node = clamp(lead / 2);
  const surest = causingChange?.mechanism === undefined ? SUREST_UNEXPLAINED : SUREST;
  const why = causingChange ? clamp(causingChange.score / surest) : (outside?.strength ?? 0);
  const doubts = DOUBTED ** (causingChange?.against.length ?? 0);
  return clamp((0.35 + 0.3 * node + 0.3 * why) * doubts, 0.05, 0.95);
}

export const describeChange = ({
  change,
  node,
  score,
  liveAt,
  isCleared,
  for: pro,
  against,
}: ChangeSuspect): RankedChange => ({
  change: idOfChange(change) ?? '',
  ...(node !== undefined && { node }),
  score: Math.round(score * 1_000) / 1_000,
  title: titleOfChange(change),
  liveAt,
  isCleared,
  for: pro,
  against,
});
