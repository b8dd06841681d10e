import type { MovedSeries } from '../observations.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { areComplaintsOver, servesAsBefore, withoutMoved } from './users-signals.js';

/** Factors between units: milliseconds, microseconds, minutes, percent, KiB. */
const FACTORS = [1_000, 1e6, 1e9, 60, 100, 1_024];
/** Values vary, so the quotient of two levels is not exact. */
const TOLERANCE = 0.15;
/** A release affects reported values immediately. */
const SOON_MS = 10 * 60_000;

/**
 * If the values that a node reports about itself change by the factor of a unit right after a
 * release, while its callers are answered as before, they are reported in another unit.
 */
export function isInOtherUnit(given: AlertCase): string | undefined {
  const { named, node, seen, unusual } = given;
  const moved = unusual.moved.filter(({ values }) => named.some((each) => each.values === values));
  const [first] = moved;
  const factor = first && factorOf(first);
  if (first === undefined || factor === undefined || moved.length < named.length) return undefined;
  const release = seen.changes.find(
    ({ at, node: of }) => of === node && at <= first.onset.at && first.onset.at - at <= SOON_MS,
  );
  const isConverted = (each: MovedSeries) => each.node === node && factorOf(each) === factor;
  if (release === undefined || !moved.every(isConverted)) return undefined;
  const rest = withoutMoved(given, isConverted);
  const others = { ...rest, seen: { ...seen, series: seen.series.filter((s) => s.node !== node) } };
  return areComplaintsOver(rest) && servesAsBefore(others)
    ? `${first.name} of ${node} is in another unit since the release at ${clock(release.at)} (${factor} times), and its callers are answered as before`
    : undefined;
}

function factorOf({ onset: { from, to } }: MovedSeries): number | undefined {
  const ratio = Math.max(to / from, from / to);
  return FACTORS.find((factor) => Math.abs(ratio / factor - 1) <= TOLERANCE);
}
