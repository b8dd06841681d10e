import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../lib/json.js';
import type { KafkaPartition } from '../../sources/kafka/kafka-calls.js';
import type { KafkaGroup, KafkaReading } from '../../sources/kafka/read-kafka.js';
import { atMost, type CheckedValue, round, slowIssue } from '../result.js';
import { type LagLater, shownTrend, trendOf, groupIssues } from './group-lag.js';

export interface KafkaThresholds {
  /** Maximum messages that a group may be behind. */
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
  /** For a time-out: how long was waited. */
  waitedMs?: number;
}

export interface KafkaState extends Omit<KafkaReading, 'silent' | 'tookMs'> {
  later?: LagLater;
  silent: readonly SilentBroker[];
  /** Whether the node names its groups: other groups may be obsolete. */
  areNamed: boolean;
}

const SHOWN = 5;

/**
 * The issues in the state of a Kafka.
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
    kind: kind ?? 'unreachable',
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
