import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { Series } from '../../domain/telemetry/records.js';
import { finitePoints } from './finite-points.js';
import { isLimit, meaningOf, nameOfSeries, plainName } from './meaning-of-metric.js';

/** From this share of its limit on, nothing is left of a resource for the next user. */
const USED_UP = 0.95;

/** A server keeps a few connections for its administrators. */
const BEYOND = 1.05;

/** The unit of a limit. */
const RESOURCES: readonly [FailureKind, RegExp][] = [
  ['connection-pool-exhausted', /connection|client|session|pool/],
  ['memory', /memory|heap/],
  ['capacity', /fds|files?|threads?|workers|slots/],
];
/** Words for the figure of a resource, and not for the resource. */
const FIGURES =
  /^(limits?|max(imum)?|allowed|settings?|variables|config|status|global|stat|activity|active|used|usage|in|use|open|current|count|total|bytes|connected|idle)$/;

export interface ReachedLimit {
  limit: number;
  name: string;
}

/**
 * The limit of the same resource of the same node that a series of use has reached; of several, the
 * one whose name has the most in common with its own.
 */
export function reachedLimit(use: Series, all: readonly Series[]): ReachedLimit | undefined {
  const kind = meaningOf(nameOfSeries(use))?.kind;
  const resource = RESOURCES.find(([each]) => each === kind);
  if (resource === undefined || use.node === undefined || isLimit(use.name)) return undefined;
  const own = wordsOf(use.name);
  const [first] = all
    .filter(
      ({ node, name }) => node === use.node && isLimit(name) && resource[1].test(plainName(name)),
    )
    .map((each) => ({
      each,
      common: wordsOf(each.name).filter((word) => own.includes(word)).length,
    }))
    .toSorted((a, b) => b.common - a.common);
  if (first === undefined || first.common === 0) return undefined;
  const limit = finitePoints(first.each).values.at(-1);
  const used = finitePoints(use).values.reduce((a, b) => Math.max(a, b), -Infinity);
  // A value far above the limit has another unit, or is not limited by it.
  return limit !== undefined && limit > 0 && used >= limit * USED_UP && used <= limit * BEYOND
    ? { limit, name: first.each.name }
    : undefined;
}

const wordsOf = (name: string): string[] =>
  plainName(name)
    .split('_')
    .filter((word) => word !== '' && !FIGURES.test(word));
