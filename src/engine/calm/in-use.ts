import type { FailureKind } from '../../domain/diagnosis/failure-kind.js';
import type { MovedSeries } from '../observations.js';
import { beyondTraffic, isTraffic } from '../series/beyond-traffic.js';
import { meaningOf, nameOfSeries } from '../series/meaning-of-metric.js';
import { isOnlyBusy } from '../series/show-failure.js';
import { reachedLimit } from '../series/used-up.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore, withoutMoved } from './users-signals.js';

/**
 * Internal metrics of how requests are served: irrelevant to users as long as the answers are as
 * before (alert on symptoms; Beyer et al., Site Reliability Engineering, 2016, chapter 6).
 */
const WITHIN: ReadonlySet<FailureKind> = new Set(['cache', 'cpu-throttled', 'retry-storm']);

/**
 * Higher use of a resource is no fault as long as some is left, the use does not grow without end,
 * and requests are answered as before (the U of the USE method; Gregg, 2012). The same applies to
 * fewer hits of a cache or more attempts.
 */
export function isOnlyInUse(given: AlertCase): string | undefined {
  const { named, node, seen, unusual } = given;
  const moved = unusual.moved.filter(({ values }) => named.some((each) => each.values === values));
  const beyond = beyondTraffic(unusual.moved, seen.series);
  const isWithin = (each: MovedSeries) =>
    !isTraffic(each) &&
    (!beyond.includes(each) || WITHIN.has(meaningOf(nameOfSeries(each))?.kind ?? 'unknown'));
  const isUsed = (each: MovedSeries) =>
    isOnlyBusy(each) && reachedLimit(each, seen.series) === undefined;
  const [first] = moved;
  const isFine = moved.every((each) => isUsed(each) || isWithin(each));
  if (first === undefined || moved.length < named.length || !isFine) return undefined;
  const rest = withoutMoved(given, (each) => moved.includes(each) && isWithin(each));
  if (!areComplaintsOver(rest) || !servesAsBefore(rest)) return undefined;
  const move = `${first.name} of ${node} is ${first.onset.direction === 1 ? 'higher' : 'lower'}`;
  return moved.every(isUsed)
    ? `${move} and leaves room, and requests are answered as before`
    : `${move}, and requests are answered as before`;
}
