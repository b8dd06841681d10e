import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { callsIn, reachOf } from './call-graph.js';
import { cacheBeside, isHeldUp } from './load-from-callers.js';
import { recordedNodes, type Observations, type Anomalies } from './observations.js';
import { sharedByUnhealthy } from './signs/shared-by-unhealthy.js';
import { signsOf } from './signs/signs.js';
import {
  clock,
  firstOf,
  OF_SPEAKER,
  SLACK_MS,
  showsFailure,
  TELLING,
  type Sign,
} from './signs/sign.js';

/** A node, and the weight of the evidence that it failed first. */
export interface FailingNode {
  node: string;
  score: number;
  /** When it first showed a failure. */
  since?: number;
  /** The failures that it shows, and how strongly, 0 to 1; strongest first. */
  kinds: [FailureKind, number][];
  /** A node that it calls became unhealthy independently and as early. */
  isExplained?: true;
  /** Only an alert names it: neither its own records nor those of others show a failure. */
  alertOnly?: true;
  /** The most significant cluster event about it. */
  cluster?: Sign;
  /** The evidence for it: first its own, then that of others; the strongest first. */
  evidence: readonly Sign[];
  for: string[];
  against: string[];
}

const FIRST_MS = 120_000;
/** The weight of further signs of one source that repeat each other. */
const REPEATED = 0.7;
/** The remaining factor of a caller's signs while its callee is failing. */
const EXPLAINED = 0.25;
/**
 * The weight of callers' statements about a node that itself reports what it lacks: they see that
 * it does not answer, and not why.
 */
const HEARD = 0.5;
/** An alert is set where users notice, which is where failures end up. */
const ALERT = 0.6;
const SOURCES = ['metric', 'log', 'kubernetes', 'span', 'caller'] as const;
/** An unhealthy node stays a suspect, even if another node explains it. */
const LEAST = 0.05;
const MOST_SAID = 8;

/**
 * Ranks which node failed first: by its own signs and by the statements of others about it. Errors
 * and waits spread from a node to its callers: if a dependency shows a failure of its own no later,
 * it explains them, and also an alert (topological propagation, as in MonitorRank; Kim, Sumbaly,
 * Shah, SIGMETRICS 2013). Load spreads in the other direction.
 */
export function rankFailingNodes(seen: Observations, anomalies: Anomalies): FailingNode[] {
  const signs = new Map<string, Sign[]>(seen.nodes.map(({ id }) => [id, []]));
  const calls = callsIn(seen);
  for (const sign of signsOf(seen, anomalies)) signs.get(sign.node)?.push(sign);
  const unhealthy = new Map(
    [...signs].flatMap(([id, own]) => {
      const at = firstOf(own);
      return at < Infinity ? [[id, at] as const] : [];
    }),
  );
  for (const sign of sharedByUnhealthy(seen.nodes, calls, unhealthy, recordedNodes(seen)))
    signs.get(sign.node)?.push(sign);
  const heldUp = new Set(seen.nodes.flatMap(({ id }) => (isHeldUp(id, calls, signs) ? [id] : [])));
  for (const [node, own] of signs)
    signs.set(
      node,
      own.map((sign) =>
        heldUp.has(node) ? { ...sign, spreads: true } : asHeard(sign, calls, signs),
      ),
    );
  const since = new Map(
    [...signs].flatMap(([node, list]) => {
      const times = list.flatMap((sign) =>
        sign.at === undefined || sign.weight < 0 || !showsFailure(sign) ? [] : [sign.at],
      );
      return times.length > 0 ? [[node, Math.min(...times)] as const] : [];
    }),
  );
  const earliest = Math.min(
    ...[...since].flatMap(([node, at]) => (anomalies.isFar(node) ? [] : [at])),
  );
  return seen.nodes
    .map(({ id }) =>
      judge(id, signs.get(id) ?? [], {
        isHeldUp: heldUp.has(id),
        isExplained: isExplained(id, calls, signs, heldUp),
        missing: cacheBeside(id, calls, signs),
        since: since.get(id),
        earliest,
        isAlerting: id === anomalies.alertNode,
        isFar: anomalies.isFar(id),
      }),
    )
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}

interface Surroundings {
  isHeldUp: boolean;
  isExplained: boolean;
  /** A cache whose misses it must answer. */
  missing: string | undefined;
  isAlerting: boolean;
  isFar: boolean;
  since: number | undefined;
  earliest: number;
}

function judge(
  node: string,
  given: readonly Sign[],
  { isHeldUp, isExplained: hasCause, missing, isAlerting, isFar, since, earliest }: Surroundings,
): FailingNode {
  const isExplained = isHeldUp || hasCause || missing !== undefined;
  const signs = withEnds(given);
  const weightOf = ({ weight, spreads }: Sign) =>
    weight * (weight > 0 && spreads && isExplained ? EXPLAINED : 1);
  const summed = (from: Sign['from'], speaks: 1 | -1) =>
    signs
      .filter((sign) => sign.from === from && sign.weight * speaks > 0)
      .map(weightOf)
      .toSorted((a, b) => speaks * (b - a))
      .reduce((sum, weight, i) => sum + weight * REPEATED ** i, 0);
  const score = SOURCES.reduce((sum, from) => sum + summed(from, 1) + summed(from, -1), 0);
  const [cluster] = signs
    .filter(({ from }) => from === 'kubernetes')
    .toSorted((a, b) => b.tells - a.tells);
  const isSuspect = signs.some(({ weight }) => weight > 0);
  const said = (list: readonly Sign[]) =>
    [...new Set(list.map(({ says }) => says))].slice(0, MOST_SAID);
  const isOwn = (sign: Sign) => sign.from !== 'caller' && weightOf(sign) >= TELLING;
  const evidence = signs
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || weightOf(b) - weightOf(a));
  const found: FailingNode = {
    node,
    evidence,
    score: isSuspect ? Math.max(LEAST, score) : score,
    kinds: kindsIn(signs, weightOf),
    for: said(evidence),
    against: said(signs.filter(({ weight }) => weight < 0)),
    ...(since !== undefined && { since }),
    ...(cluster && { cluster }),
  };
  if (isAlerting) {
    found.score += ALERT * (isExplained ? EXPLAINED : 1);
    found.for.push('the alert is about it');
    if (!isSuspect) found.alertOnly = true;
  }
  if (hasCause) {
    found.isExplained = true;
    found.against.push('one of its dependencies became unhealthy as early');
  }
  if (missing !== undefined) found.against.push(`it gets the requests that ${missing} misses`);
  if (isHeldUp)
    found.against.push('it shows only a backlog or load, and one of its callers is unhealthy');
  if (since !== undefined) {
    // A node that is not connected with the alert may be earlier by chance.
    if (!isFar)
      found.score += 0.8 * Math.exp(-(since - earliest) / FIRST_MS) * (isExplained ? EXPLAINED : 1);
    const isHeard = signs.every(({ from, weight }) => from === 'caller' || weight < 0);
    found.for.push(
      `${isHeard ? 'its callers report failures of it' : 'it became unhealthy'} ${since === earliest ? 'first, ' : ''}at ${clock(since)}`,
    );
  }
  return found;
}

/** An exception ended the process of a node that is restarted. */
function withEnds(signs: readonly Sign[]): Sign[] {
  const restarts = signs.some(({ kind, weight }) => kind === 'crash-loop' && weight > 0);
  const isEnd = ({ kind, from }: Sign) => restarts && kind === 'exception' && from === 'log';
  return signs.map((sign) => (isEnd(sign) ? { ...sign, kind: 'crash' } : sign));
}

/**
 * Independent signs of one kind add up as 1 − Π(1 − tells · weight). Callers with the same
 * statement see the same: they count once.
 */
function kindsIn(
  signs: readonly Sign[],
  weightOf: (sign: Sign) => number,
): [FailureKind, number][] {
  const missed = new Map<FailureKind, number>();
  const heardOf = new Map<FailureKind, number>();
  const hasOwn = signs.some(
    ({ from, kind, spreads, tells }) => from !== 'caller' && kind && !spreads && tells >= TELLING,
  );
  for (const sign of signs) {
    const { kind, weight, tells, from } = sign;
    if (kind === undefined || weight <= 0) continue;
    const heard = from === 'caller' && hasOwn ? HEARD : 1;
    const shown = 0.9 * tells * heard * Math.min(1, weightOf(sign));
    if (from === 'caller') heardOf.set(kind, Math.max(heardOf.get(kind) ?? 0, shown));
    else missed.set(kind, (missed.get(kind) ?? 1) * (1 - shown));
  }
  for (const [kind, shown] of heardOf) missed.set(kind, (missed.get(kind) ?? 1) * (1 - shown));
  return [...missed]
    .map(([kind, rest]): [FailureKind, number] => [kind, 1 - rest])
    .toSorted((a, b) => b[1] - a[1]);
}

/**
 * If a node and its callee make the same statement, the callee's failure was passed on to the node.
 */
function asHeard(
  sign: Sign,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  signs: ReadonlyMap<string, readonly Sign[]>,
): Sign {
  const { node, from, kind, at = Infinity } = sign;
  if (from !== 'log' || kind === undefined || OF_SPEAKER.has(kind)) return sign;
  const isHeard = [...reachOf(node, calls)].some(
    (id) =>
      !reachOf(id, calls).has(node) &&
      signs
        .get(id)
        ?.some(
          (each) =>
            each.kind === kind &&
            each.from !== 'caller' &&
            each.tells >= TELLING &&
            (each.at ?? 0) <= at + SLACK_MS,
        ),
  );
  return isHeard ? { ...sign, spreads: true } : sign;
}

/**
 * Whether a direct or indirect dependency became unhealthy independently and no later than the
 * node.
 */
function isExplained(
  id: string,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  signs: ReadonlyMap<string, readonly Sign[]>,
  heldUp: ReadonlySet<string>,
): boolean {
  // In a cycle of calls no node comes first. A node that its readers hold up explains no other.
  const below = [...reachOf(id, calls)].filter(
    (each) => !reachOf(each, calls).has(id) && !heldUp.has(each),
  );
  const from = firstOf(signs.get(id) ?? []);
  return below.some((each) => {
    const first = firstOf(signs.get(each) ?? []);
    return first < Infinity && first <= from + SLACK_MS;
  });
}
