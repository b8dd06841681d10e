import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { goesOn } from './as-usual.js';
import { areComplaintsOver, CALM_MS, hasLostTraffic, isQuietAround } from './users-signals.js';

/**
 * Refutes an alert that has ended: it describes the past if its subject is still measured and
 * nothing around it is worse than before.
 */
export function hasEnded(given: AlertCase): string | undefined {
  const { endedAt } = given.alert;
  if (endedAt === undefined || !isHeardSince(endedAt, given)) return undefined;
  const isOver = given.frame.now - endedAt >= CALM_MS && areComplaintsOver(given);
  return isOver && isQuietAround(given) && !hasLostTraffic(given)
    ? `it ended at ${clock(endedAt)}, and nothing of ${given.node} is out of the ordinary since`
    : undefined;
}

/** A silent node may be down, so its series must continue, or it must have written lines since. */
function isHeardSince(time: number, { frame, named, seen, node }: AlertCase): boolean {
  const own = named.length > 0 ? named : seen.series.filter((each) => each.node === node);
  const writes = seen.templates.some(
    (each) => each.node === node && !each.error && each.last > time,
  );
  return own.length > 0 ? own.every((each) => goesOn(each, frame)) : writes;
}
