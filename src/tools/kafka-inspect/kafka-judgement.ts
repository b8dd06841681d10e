import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import { issueKind } from '../../domain/diagnosis/issue-kind.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../lib/json.js';
import type { KafkaPartition } from '../../sources/kafka/kafka-calls.js';
import type { KafkaGroup, KafkaReading } from '../../sources/kafka/read-kafka.js';
import { atMost, type CheckedValue, round, slowIssue } from '../result.js';

export interface KafkaThresholds {
  /** Messages that a group may be behind. */
  groupLag: number;
  slowMs: number;
}

/** A broker that the cluster names, and that does not answer. */
export interface SilentBroker {
  id: number;
  address: string;
  /** `connection refused (ECONNREFUSED)` */
  why: string;
  kind?: FailureKind;
  /** Of a time-out: how long was waited. */
  waitedMs?: number;
}

/** Where groups were, so many seconds after the reading began to be judged. */
export interface LagLater {
  seconds: number;
  groups: ReadonlyMap<string, Pick<KafkaGroup, 'lag' | 'position'>>;
}

export interface KafkaState extends Omit<KafkaReading, 'silent' | 'tookMs'> {
  later?: LagLater;
  silent: readonly SilentBroker[];
  /** Whether the node names its groups: others may be left over. */
  areNamed: boolean;
}

const SHOWN = 5;
const REBALANCING = ['PreparingRebalance', 'CompletingRebalance'];

/**
 * What the state of a Kafka means.
 * @param show makes a text of the server fit for a measurement
 */
export function judgeKafka(
  state: KafkaState,
  { groupLag, slowMs }: KafkaThresholds,
  show: (text: string) => string,
): { measurements: JsonObject; issues: Issue[]; judged: CheckedValue[] } {
  const { brokers, partitions, silent, groups, unread, answerMs } = state;
  const offline = partitions.filter(({ leader }) => leader < 0);
  const short = partitions.filter(
    ({ leader, inSync, replicas }) => leader >= 0 && inSync < replicas,
  );
  const farthest = groups.toSorted((a, b) => b.lag - a.lag);
  const lags = groups.map(({ lag }) => lag);
  return {
    measurements: {
      answer_ms: round(answerMs),
      brokers: brokers.length,
      brokers_silent: silent.length,
      topics: state.topics,
      partitions: partitions.length,
      partitions_offline: offline.length,
      partitions_under_replicated: short.length,
      groups: groups.length,
      farthest: farthest.slice(0, SHOWN).map((group) => ({
        ...shownGroup(group, show),
        ...shownTrend(trendOf(group, state.later)),
      })),
      ...(unread.length > 0 && { not_read: unread.slice(0, SHOWN).map(show) }),
      connections: state.connections,
    },
    issues: [
      ...controllerIssues(state),
      ...silent.map((broker) => silentIssue(broker, partitions)),
      ...offlineIssues(offline),
      ...shortIssues(short),
      ...farthest.flatMap((group) => groupIssues(group, groupLag, state)),
      ...unreadIssues(unread),
      ...slowIssue('answers', answerMs, slowMs, 'The list of brokers and topics took'),
    ],
    judged: lags.length === 0 ? [] : atMost('group_lag', Math.max(...lags), groupLag),
  };
}

const shownGroup = (
  { id, state, members, lag, worst }: KafkaGroup,
  show: (text: string) => string,
): JsonObject => ({
  name: show(id),
  state: state === undefined ? null : show(state),
  members,
  lag,
  ...(worst && { worst: `${show(worst.topic)}-${worst.index}`, worst_lag: worst.lag }),
});

const controllerIssues = ({ controller }: KafkaState): Issue[] =>
  controller >= 0
    ? []
    : [
        {
          severity: 'critical',
          symptom: 'erroring',
          title: 'the cluster has no controller',
          detail:
            'No broker can elect leaders: a partition whose leader is lost stays without one.',
        },
      ];

function silentIssue(
  { id, address, why, kind, waitedMs }: SilentBroker,
  partitions: readonly KafkaPartition[],
): Issue {
  const led = partitions.filter(({ leader }) => leader === id).length;
  const leads =
    led === 0 ? 'It leads no partition.' : `It leads ${counted(led)}, which clients cannot use.`;
  return {
    severity: led > 0 ? 'critical' : 'warning',
    symptom: 'unreachable',
    // The cluster chooses the address.
    kind: kind ?? issueKind({ symptom: 'unreachable', title: why, detail: '' }),
    title: `broker ${id} does not answer at ${address}: ${why}`,
    detail: `The cluster names this address to its clients. ${leads}`,
    ...(waitedMs !== undefined && { duration_ms: waitedMs }),
  };
}

function offlineIssues(offline: readonly KafkaPartition[]): Issue[] {
  if (offline.length === 0) return [];
  return [
    {
      severity: 'critical',
      symptom: 'erroring',
      kind: 'queue-partition',
      title: `${have(offline.length)} no leader: ${named(offline)}`,
      detail: 'Nothing can be written to them or read from them.',
    },
  ];
}

/** Two copies are still redundant; the last one is not. */
function shortIssues(short: readonly KafkaPartition[]): Issue[] {
  const last = short.filter(({ inSync }) => inSync <= 1);
  const others = short.filter(({ inSync }) => inSync > 1);
  const issue = (severity: Issue['severity'], of: readonly KafkaPartition[], title: string) =>
    of.length === 0
      ? []
      : [
          {
            severity,
            symptom: 'erroring' as const,
            kind: 'queue-partition' as const,
            title: `${have(of.length)} ${title}: ${named(of)}`,
            detail: `In sync are ${of[0]?.inSync} of ${of[0]?.replicas} replicas of ${named(of.slice(0, 1))}; where min.insync.replicas is more, writes with acks=all are refused.`,
          },
        ];
  return [
    ...issue('critical', last, 'only one replica in sync'),
    ...issue('warning', others, 'replicas that are not in sync'),
  ];
}

/**
 * Messages a second by which a group falls back; negative where it catches up. Undefined where it
 * was read once.
 */
function trendOf({ id, lag }: KafkaGroup, later: LagLater | undefined): number | undefined {
  const then = later?.groups.get(id);
  return later === undefined || then === undefined ? undefined : (then.lag - lag) / later.seconds;
}

/** Fewer messages between two looks say nothing about a pace. */
const LEAST_CAME = 10;
/**
 * Seconds of what comes that a group may be behind and falling back: consumers that commit seldom
 * are as far behind at times.
 */
const BEHIND_S = 60;
/** By the two above, at the least of six seconds between two looks. */
const LEAST_LAG = 100;

/** Whether a second look may show that a group with consumers falls back. */
export const mayFallBack = ({ state, lag }: KafkaGroup): boolean =>
  lag >= LEAST_LAG && state !== 'Empty';

/**
 * What came and what was read between two looks, if the group read less than half of it and is far
 * behind for this pace.
 */
function fallsBack(
  { id, lag, position }: KafkaGroup,
  later: LagLater | undefined,
): { came: number; read: number; behindS: number } | undefined {
  const then = later?.groups.get(id);
  if (later === undefined || then === undefined) return undefined;
  const read = then.position - position;
  const came = then.lag - lag + read;
  const behindS = (lag * later.seconds) / came;
  // One whose offsets were set back has read less than nothing.
  const isSlow = read >= 0 && read < came / 2;
  const isFallingBack = isSlow && came >= LEAST_CAME && behindS > BEHIND_S;
  return isFallingBack ? { came, read, behindS } : undefined;
}

const shownTrend = (trend: number | undefined): JsonObject =>
  trend === undefined ? {} : { growth_per_s: round(trend) };

/** What the trend of a group means, as a sentence that follows others. */
function trendText(trend: number | undefined, lag: number): string {
  if (trend === undefined) return '';
  if (trend === 0)
    return ' Between two looks it did not change: nothing is read, or as much as comes.';
  const rate = `${Math.max(1, Math.round(Math.abs(trend)))} messages a second`;
  if (trend > 0) return ` It falls back by ${rate}: its consumers are too slow, too few, or stuck.`;
  return ` It catches up by ${rate}, and is done in about ${Math.max(1, Math.round(lag / -trend / 60))} min at this pace.`;
}

function groupIssues(
  group: KafkaGroup,
  most: number,
  { areNamed: isNamed, later }: Pick<KafkaState, 'areNamed' | 'later'>,
): Issue[] {
  const { id, state, members, lag, worst, partitions } = group;
  // A broker answers for a group that it does not know as for one without a state.
  if (isNamed && state === undefined && partitions === 0)
    return [
      {
        severity: 'warning',
        symptom: 'invalid',
        kind: 'config',
        title: `group ${id} does not exist, or has never read`,
        detail:
          'It has no state and no committed offset: its name is wrong, its consumers were never started, or its offsets have expired.',
      },
    ];
  if (lag === 0) return [];
  const isFar = lag > most;
  const where = worst ? `; most of it, ${worst.lag}, in ${worst.topic}-${worst.index}` : '';
  const trend = trendText(trendOf(group, later), lag);
  const common = { symptom: 'saturated', kind: 'queue-lag' } as const;
  const behind = `${lag} messages behind`;
  if (state === 'Empty')
    return [
      {
        ...common,
        severity: isFar && isNamed ? 'critical' : isFar || isNamed ? 'warning' : 'info',
        title: `group ${id} has no consumer, and is ${behind}`,
        detail: `Nothing reads for it${where}.${trend}`,
      },
    ];
  if (state !== undefined && REBALANCING.includes(state))
    return [
      {
        ...common,
        severity: isFar ? 'warning' : 'info',
        title: `group ${id} is rebalancing, and is ${behind}`,
        detail: `Its ${members} members read nothing until each has its partitions${where}.${trend}`,
      },
    ];
  const pace = fallsBack(group, later);
  if (!isFar && pace)
    return [
      {
        ...common,
        severity: 'warning',
        title: `group ${id} falls back, and is ${behind}`,
        detail: `While it was looked at, ${pace.came} messages came and it read ${pace.read}: its consumers are too slow, too few, or stuck. As much as it is behind comes in ${Math.round(pace.behindS / 60)} min${where}.`,
      },
    ];
  return isFar
    ? [
        {
          ...common,
          severity: 'warning',
          title: `group ${id} is ${behind}`,
          detail: `Expected at most ${most}; it has ${state === undefined ? 'an unknown number of' : members} members${where}.${trend}`,
        },
      ]
    : [];
}

const unreadIssues = (unread: readonly string[]): Issue[] =>
  unread.length === 0
    ? []
    : [
        {
          severity: 'info',
          symptom: 'erroring',
          title: `a part could not be read: ${unread[0]}`,
          detail: `Nothing is known of: ${unread.slice(0, SHOWN).join('; ')}.`,
        },
      ];

const counted = (number: number): string => (number === 1 ? 'a partition' : `${number} partitions`);
const have = (number: number): string =>
  number === 1 ? 'a partition has' : `${number} partitions have`;
const named = (partitions: readonly KafkaPartition[]): string =>
  partitions
    .slice(0, SHOWN)
    .map(({ topic, index }) => `${topic}-${index}`)
    .join(', ') + (partitions.length > SHOWN ? ', …' : '');
