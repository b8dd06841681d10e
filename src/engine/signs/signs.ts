import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { linesOfNodes } from '../answers/lines-of-nodes.js';
import { clusterLines } from '../kubernetes/cluster-lines.js';
import { calledNode } from '../kubernetes/failed-call.js';
import { machineOfPod } from '../kubernetes/machine-of-pod.js';
import type { MovedSeries, Observations, Anomalies } from '../observations.js';
import { beyondTraffic } from '../series/beyond-traffic.js';
import { endedTargets } from '../series/ended-targets.js';
import { expiredCertificates } from '../series/expired-certificates.js';
import {
  meaningOf,
  nameOfSeries,
  plainName,
  type MetricMeaning,
} from '../series/meaning-of-metric.js';
import { hasRoom } from '../series/saturation.js';
import { reachedLimit, type ReachedLimit } from '../series/used-up.js';
import { showNumber } from '../stats.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import { stepsOfText } from '../logs/steps-of-text.js';
import { clock, OF_SPEAKER, type Sign } from './sign.js';
import { signsInLogs } from './signs-in-logs.js';

/** All signs of nodes, and their statements about each other. */
export function signsOf(seen: Observations, anomalies: Anomalies): Sign[] {
  return [
    ...strongestOfEach(endsOfLeaks(signsInSeries(seen, anomalies))),
    ...expiredCertificates(seen.series, seen.frame).map(({ node, name, at }): Sign => ({
      node,
      at,
      from: 'metric',
      weight: CERTAIN,
      kind: 'certificate-expired',
      tells: 1,
      spreads: false,
      says: `its certificate ended at ${clock(at)} (${name})`,
    })),
    ...endedTargets(seen.series, seen.frame).map(({ node, at, isProcess, says }): Sign => ({
      node,
      at,
      from: 'metric',
      weight: isProcess ? CERTAIN : 1,
      spreads: false,
      kind: isProcess ? 'crash' : 'unreachable',
      tells: isProcess ? 1 : 0.5,
      says: `${says} at ${clock(at)}`,
    })),
    ...signsInLogs(seen, anomalies),
    ...signsInObjects(seen, anomalies),
    ...signsInAnswers(seen),
    ...signsInSpans(seen, anomalies),
  ];
}

/**
 * A fact about the node itself, and not about another one: its pod was killed, its certificate
 * expired.
 */
const CERTAIN = 2.5;

/** A resource that is exhausted. */
const LIMIT_WEIGHT = 1.5;

/** Labels of Kafka exporters, Burrow, NATS and Pulsar that name the consumer. */
const CONSUMER = [
  'consumergroup',
  'consumer_group',
  'group',
  'group_id',
  'consumer',
  'subscription',
];

/**
 * The lag of a consumer is measured at the broker: it belongs to the consuming node, if the labels
 * name one.
 */
function consumerOf(
  { name, labels }: MovedSeries,
  nodes: Observations['nodes'],
): { node: string } | undefined {
  if (meaningOf(nameOfSeries({ name, labels }))?.kind !== 'queue-lag') return undefined;
  const reader = CONSUMER.map((label) => labels[label]).find((value) => value !== undefined);
  const node = nodes.find(({ id }) => id === reader);
  return node && { node: node.id };
}

/**
 * Memory that grows steadily for this long is not released: it leaks, even if the kernel ends the
 * process in the end.
 */
const LEAK_MS = 30 * 60_000;

/**
 * A series that is specific to a cause is stronger evidence for its node than one that callers show
 * too; a name without a meaning is in between.
 */
const worthOf = (meaning: MetricMeaning | undefined): number =>
  meaning === undefined ? 0.75 : 0.5 + 0.75 * meaning.tells;

/** A processor that is busier than usual and has free capacity is not saturated. */
const WITH_ROOM = 0.2;

const asScaled = (
  meaning: MetricMeaning | undefined,
  series: Pick<MovedSeries, 'name' | 'values' | 'onset'>,
): MetricMeaning | undefined =>
  meaning?.kind === 'cpu-saturated' && meaning.worse === 1 && hasRoom(series, series.onset.to)
    ? { ...meaning, tells: WITH_ROOM }
    : meaning;

/** Resources whose use grows with the number of requests. */
const USED: ReadonlySet<FailureKind> = new Set(['cpu-saturated', 'connection-pool-exhausted']);

/** A series that grew with the traffic shows more requests, which the callers cause. */
const asAsked = (
  meaning: MetricMeaning | undefined,
  isBeyondTraffic: boolean,
): MetricMeaning | undefined =>
  meaning && USED.has(meaning.kind) && !isBeyondTraffic
    ? { ...meaning, tells: Math.min(meaning.tells, WITH_ROOM), spreads: true }
    : meaning;

function signsInSeries({ nodes, series }: Observations, { moved, reportedAt }: Anomalies): Sign[] {
  const beyond = new Set(beyondTraffic(moved, series));
  return moved.flatMap((each) => {
    const signs = signOfSeries(
      { ...each, ...consumerOf(each, nodes) },
      reportedAt,
      beyond.has(each),
    );
    // A pool fills up while callees are slow: a node without callees waits for no other.
    const isLast = nodes.some(({ id, dependsOn }) => id === each.node && dependsOn.length === 0);
    const reached = isLast ? reachedLimit(each, series) : undefined;
    if (isClockOff(each)) return signs.map((sign) => ({ ...sign, weight: CERTAIN }));
    return reached === undefined ? signs : signs.map((sign) => atLimit(sign, each.name, reached));
  });
}

/** Seconds of clock offset from which on tokens, leases and signatures fail. */
const OFF_SECONDS = 5;
const CLOCK_SECONDS =
  /time_minus_scrape|(timex|clock|ntp|chrony\w*|time)_?(offset|skew|drift)\w*_seconds/;

const isClockOff = ({ name, onset }: MovedSeries): boolean =>
  CLOCK_SECONDS.test(plainName(name)) && Math.abs(onset.to) >= OFF_SECONDS;

/** For an exhausted resource, the figures show it: its move alone shows that more is used. */
const atLimit = (sign: Sign, name: string, { limit, name: of }: ReachedLimit): Sign => ({
  ...sign,
  weight: Math.max(sign.weight, LIMIT_WEIGHT),
  tells: 0.95,
  says: `${name} reached the limit of ${showNumber(limit)} (${of})`,
});

/** The rate of repeated calls, and the factor from which it is a storm. */
const PER_CALL = /(attempts|retries|tries)_per_(call|request|operation)/;
const AMPLIFIED = 5;

/**
 * A series that improved shows no fault. Memory that grows with the traffic is used, and not
 * leaked.
 */
function signOfSeries(
  { node, onset, ...series }: MovedSeries,
  until: number,
  isBeyondTraffic: boolean,
): Sign[] {
  const name = nameOfSeries(series);
  const meaning = asAsked(asScaled(meaningOf(name), { ...series, onset }), isBeyondTraffic);
  if (node === undefined || (meaning && meaning.worse !== onset.direction)) return [];
  const grows = meaning?.kind === 'memory' && onset.ramp && isBeyondTraffic;
  const leaks = grows && until - onset.at >= LEAK_MS;
  const isStorm = PER_CALL.test(plainName(name)) && onset.to >= AMPLIFIED * onset.from;
  return [
    {
      node,
      at: onset.at,
      from: 'metric',
      tells: leaks || isStorm ? 1 : (meaning?.tells ?? 0),
      // A metric with an unknown meaning may show at callers too.
      spreads: meaning?.spreads ?? true,
      weight: leaks ? 1 : Math.min(1, Math.log10(1 + onset.deviations) / 3) * worthOf(meaning),
      says: `${name} went from ${showNumber(onset.from)} to ${showNumber(onset.to)} at ${clock(onset.at)}`,
      ...(meaning && { kind: grows ? 'memory-leak' : meaning.kind }),
      ...(isStorm && { amplifies: true }),
      ...stepsOfText(meaning?.kind, name),
    },
  ];
}

/** A leaking process is killed in the end: the count of its kills is no additional information. */
function endsOfLeaks(signs: readonly Sign[]): Sign[] {
  const leaking = new Set(
    signs.flatMap(({ kind, tells, node }) => (kind === 'memory-leak' && tells === 1 ? [node] : [])),
  );
  return signs.map((sign) =>
    sign.kind === 'out-of-memory' && leaking.has(sign.node)
      ? { ...sign, kind: 'memory-leak' }
      : sign,
  );
}

/**
 * Of many series with the same sign of a node, the strongest: a resource is one, however often it
 * is counted. Those without a meaningful name count as one, too.
 */
function strongestOfEach(signs: readonly Sign[]): Sign[] {
  const best = new Map<string, Sign>();
  for (const sign of signs) {
    const key = `${sign.node} ${sign.kind ?? ''}`;
    const known = best.get(key);
    if (known === undefined || known.weight < sign.weight) best.set(key, sign);
  }
  return [...best.values()];
}

const FULL_LINE = 9;
const HELD_UP = 0.4;

const signsInObjects = (seen: Observations, { quietUntil }: Anomalies): Sign[] =>
  clusterLines(seen, quietUntil).flatMap(({ node, text, line, weight, kind, steps }): Sign[] => {
    const tells = Math.min(1, weight / FULL_LINE);
    const worth = CERTAIN * tells;
    const shown = { tells, ...(kind && { kind }), ...(steps !== undefined && { steps }) };
    const machine = kind === 'infrastructure' ? machineOfPod(line, seen) : undefined;
    if (machine?.node !== undefined && machine.node !== node)
      return [
        {
          ...shown,
          node: machine.node,
          from: 'caller',
          weight: worth,
          spreads: false,
          says: `a pod of ${node} runs on it: ${text}`,
        },
        { ...held(node, text), says: `${text} (its machine is ${machine.name})` },
      ];
    const called = calledNode(line, seen);
    if (called === undefined || called === node || (kind && OF_SPEAKER.has(kind))) {
      // A volume is not mounted where its driver does not run.
      const spreads = kind === 'volume';
      const own = { ...shown, node, from: 'kubernetes', weight: worth, spreads } as const;
      return [{ ...own, says: machine ? `${text} (its machine is ${machine.name})` : text }];
    }
    const says = `a call to it fails for ${node}: ${text}`;
    return [
      { ...shown, node: called, from: 'caller', weight: worth, spreads: false, says },
      // Its pods are delayed by a callee.
      held(node, text),
    ];
  });

/** A line that names a fault, and not only that something waits. */
const DECISIVE = 7;

/** The decisive statements of recorded answers of other tools about nodes. */
const signsInAnswers = (seen: Observations): Sign[] =>
  seen.recordings.length === 0
    ? []
    : [...linesOfNodes({ ...seen, kubernetesByNode: new Map() }, '')].flatMap(([node, lines]) =>
        lines
          .filter(({ weight, kind }) => weight >= DECISIVE && kind !== undefined)
          .map(({ text: says, weight, kind, steps }): Sign => {
            const tells = Math.min(1, weight / FULL_LINE);
            const worth = CERTAIN * tells;
            const shown = { tells, ...(kind && { kind }), ...(steps !== undefined && { steps }) };
            return { ...shown, node, says, from: 'kubernetes', weight: worth, spreads: false };
          }),
      );

/** The symptoms of a node's pods that another node causes. */
const held = (node: string, says: string): Sign => ({
  node,
  says,
  from: 'kubernetes',
  weight: HELD_UP,
  tells: 0,
  spreads: true,
});

function signsInSpans({ spans }: Observations, { failedSpans }: Anomalies): Sign[] {
  const failedBelow = new Set(
    spans
      .filter(({ error, parentId }) => error !== undefined && parentId !== undefined)
      .map(({ traceId, parentId }) => `${traceId}/${parentId}`),
  );
  return failedSpans.flatMap(({ node, traceId, spanId, start: at, name, error = '' }): Sign[] => {
    if (node === undefined) return [];
    const passedOn = failedBelow.has(`${traceId}/${spanId}`);
    const says = passedOn
      ? `${name} fails with a call below it`
      : `${name} fails, and nothing below it does`;
    const common = { node, at, says, from: 'span' as const, spreads: passedOn };
    return [
      { ...common, weight: passedOn ? 0.1 : 0.8, tells: 0, ...(passedOn ? {} : kindOfText(error)) },
    ];
  });
}
