import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../lib/json.js';
import type { KafkaGroup } from '../../sources/kafka/read-kafka.js';
import { round } from '../result.js';

/** The positions of groups, this many seconds after the reading began. */
export interface LagLater {
  seconds: number;
  groups: ReadonlyMap<string, Pick<KafkaGroup, 'lag' | 'position'>>;
}

const REBALANCING = ['PreparingRebalance', 'CompletingRebalance'];

/** With fewer messages between two readings, a pace cannot be judged. */
const LEAST_CAME = 10;

/**
 * Seconds of incoming messages that a group may be behind while it falls back: consumers that
 * commit rarely are temporarily as far behind.
 */
const BEHIND_S = 60;

/** By the two above, for at least six seconds between two readings. */
const LEAST_LAG = 100;

/** Whether a second reading may show that a group with consumers falls back. */
export const mayFallBack = ({ state, lag }: KafkaGroup): boolean =>
  lag >= LEAST_LAG && state !== 'Empty';

/**
 * The incoming and the read messages between two readings, if the group read less than half of them
 * and is far behind for this pace.
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
  // A group whose offsets were reset has read a negative number.
  const isSlow = read >= 0 && read < came / 2;
  const isFallingBack = isSlow && came >= LEAST_CAME && behindS > BEHIND_S;
  return isFallingBack ? { came, read, behindS } : undefined;
}

/**
 * Messages per second by which a group falls back; negative if it catches up. Undefined if it was
 * read once.
 */
export function trendOf({ id, lag }: KafkaGroup, later: LagLater | undefined): number | undefined {
  const then = later?.groups.get(id);
  return later === undefined || then === undefined ? undefined : (then.lag - lag) / later.seconds;
}

/** The trend as a measurement. */
export const shownTrend = (trend: number | undefined): JsonObject =>
  trend === undefined ? {} : { growth_per_s: round(trend) };

/** The meaning of a group's trend, as a sentence that follows others. */
function trendText(trend: number | undefined, lag: number): string {
  if (trend === undefined) return '';
  if (trend === 0)
    return ' Between two readings it did not change: nothing is read, or as much as arrives.';
  const rate = `${Math.max(1, Math.round(Math.abs(trend)))} messages a second`;
  if (trend > 0) return ` It falls back by ${rate}: its consumers are too slow, too few, or stuck.`;
  return ` It catches up by ${rate}, and is done in about ${Math.max(1, Math.round(lag / -trend / 60))} min at this pace.`;
}

/**
 * The issues of a group's lag and state.
 * @param most the maximum expected lag
 */
export function groupIssues(
  group: KafkaGroup,
  most: number,
  { areNamed: isNamed, later }: { areNamed: boolean; later?: LagLater },
): Issue[] {
  const { id, state, members, lag, worst, partitions } = group;
  // A broker answers about an unknown group as about one without a state.
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
