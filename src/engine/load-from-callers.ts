import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { SLACK_MS, TELLING, type Sign } from './signs/sign.js';

/**
 * The cache that a caller of the node also calls, and whose misses become requests to the node:
 * load spreads from a caller to its callees.
 */
export function cacheBeside(
  id: string,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  signs: ReadonlyMap<string, readonly Sign[]>,
): string | undefined {
  const own = signs.get(id) ?? [];
  if (!own.some(({ kind, weight }) => kind === 'load' && weight > 0)) return undefined;
  const from = Math.min(...own.map(({ at = Infinity }) => at));
  const misses = ({ kind, tells, weight, at = -Infinity }: Sign) =>
    kind === 'cache' && tells >= TELLING && weight >= TELLING && at <= from + SLACK_MS;
  const beside = [...calls.values()].filter((called) => called.has(id)).flatMap((all) => [...all]);
  return beside.find((each) => each !== id && (signs.get(each) ?? []).some(misses));
}

/** The symptoms of a node that receives more requests than it can answer. */
const OF_LOAD: ReadonlySet<FailureKind | undefined> = new Set<FailureKind | undefined>([
  ...(['load', 'cpu-saturated', 'latency', 'timeout', 'exception', 'capacity', undefined] as const),
]);

/**
 * Whether a node shows only effects of load, and a caller repeats each call many times: such a
 * storm continues by itself when its trigger is gone (metastable failures; Bronson et al., HotOS
 * 2021).
 */
function isStormed(
  id: string,
  from: number,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  signs: ReadonlyMap<string, readonly Sign[]>,
): boolean {
  const shown = (signs.get(id) ?? []).filter(({ weight }) => weight > 0);
  const isMeant = ({ amplifies, at = Infinity }: Sign) =>
    amplifies === true && at <= from + SLACK_MS;
  return (
    shown.some(({ kind }) => kind === 'load' || kind === 'cpu-saturated') &&
    shown.every(({ kind }) => OF_LOAD.has(kind)) &&
    [...calls].some(([caller, called]) => called.has(id) && signs.get(caller)?.some(isMeant))
  );
}

/**
 * Whether a node shows only a backlog, and one of its callers became unhealthy as early: slow
 * readers cause a backlog.
 */
export function isHeldUp(
  id: string,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
  signs: ReadonlyMap<string, readonly Sign[]>,
): boolean {
  const shown = (signs.get(id) ?? []).filter(({ weight }) => weight > 0);
  const from = Math.min(...shown.map(({ at = Infinity }) => at));
  if (isStormed(id, from, calls, signs)) return true;
  const isOwn = ({ weight, at = Infinity, from: source }: Sign) =>
    source === 'log' && weight >= TELLING && at <= from + SLACK_MS;
  return (
    shown.length > 0 &&
    shown.every(({ kind }) => kind === 'queue-lag') &&
    [...calls].some(([caller, called]) => called.has(id) && signs.get(caller)?.some(isOwn))
  );
}
