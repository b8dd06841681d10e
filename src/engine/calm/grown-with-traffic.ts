import { callsIn, reachOf } from '../call-graph.js';
import { beyondTraffic, isTraffic } from '../series/beyond-traffic.js';
import { meaningOf, nameOfSeries } from '../series/meaning-of-metric.js';
import { isNearlyUsedUp } from '../series/saturation.js';
import type { MovedSeries } from '../observations.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore } from './users-signals.js';

/** The tolerated growth beyond proportion. */
const PROPORTION = 1.5;

/**
 * More requests, and resource use in proportion to them, are no fault if they are answered as
 * before and come from outside: a node that sends more calls for each request has a fault.
 */
export function hasGrownWithTraffic(given: AlertCase): string | undefined {
  const { named, node, unusual, seen } = given;
  const moved = unusual.moved.filter(({ values }) => named.some((each) => each.values === values));
  if (named.length === 0 || moved.length < named.length) return undefined;
  const beyond = beyondTraffic(unusual.moved, seen.series);
  const isAsAsked = (each: MovedSeries) =>
    each.onset.direction === 1 &&
    (isTraffic(each)
      ? isAskedByCallers(each, given)
      : !beyond.includes(each) && isUsedWithRoom(each));
  const [first] = moved;
  if (first === undefined || !moved.every(isAsAsked)) return undefined;
  return areComplaintsOver(given) && servesAsBefore(given)
    ? `${first.name} of ${node} grew with the requests, which are answered as before`
    : undefined;
}

function isUsedWithRoom(series: MovedSeries): boolean {
  const meaning = meaningOf(nameOfSeries(series));
  return meaning?.worse === 1 && !isNearlyUsedUp(series, series.onset.to, meaning.worse);
}

/** Whether the traffic of a node grew no more than that of its callers, if known. */
function isAskedByCallers(series: MovedSeries, { seen, unusual, node }: AlertCase): boolean {
  const calls = callsIn(seen);
  const ofCallers = seen.series.filter(
    (each) =>
      each.node !== undefined &&
      each.node !== node &&
      isTraffic(each) &&
      reachOf(each.node, calls).has(node),
  );
  if (ofCallers.length === 0) return true;
  return unusual.moved.some(
    (each) =>
      ofCallers.some(({ values }) => values === each.values) &&
      growthOf(series) <= PROPORTION * growthOf(each),
  );
}

const growthOf = ({ onset: { from, to } }: MovedSeries): number =>
  from > 0 ? to / from : Infinity;
