import { isOnlyBusy } from '../series/show-failure.js';
import { reachedLimit } from '../series/used-up.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore } from './users-signals.js';

/**
 * More of a resource in use is no fault as long as some is left, it does not grow without end, and
 * requests are answered as before (the U of the USE method; Gregg, 2012).
 */
export function isOnlyInUse(given: AlertCase): string | undefined {
  const { named, node, seen, unusual } = given;
  const moved = unusual.moved.filter(({ values }) => named.some((each) => each.values === values));
  const isFine = moved.every(
    (each) => isOnlyBusy(each) && reachedLimit(each, seen.series) === undefined,
  );
  const [first] = moved;
  if (first === undefined || moved.length < named.length || !isFine) return undefined;
  return areComplaintsOver(given) && servesAsBefore(given)
    ? `${first.name} of ${node} is higher and leaves room, and requests are answered as before`
    : undefined;
}
