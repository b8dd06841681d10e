import { quietUntilOf, type IncidentFrame } from '../../domain/telemetry/records.js';
import { beginsAndLasts } from '../series/onset/lasts.js';
import type { LateCounts } from './late-counts.js';
import type { LogTemplate } from './log-templates.js';

/**
 * A surge is this many times the rate of the quiet time, and more than chance makes of a rare line.
 */
const TIMES = 5;
const DEVIATIONS = 6;
/**
 * More lines of all kinds are more work: an error surges if it grows this many times as much as the
 * other lines of its node.
 */
const BEYOND_OTHERS = 3;

/**
 * Errors and warnings that were rare before, and are frequent since a time, with that time as their
 * first: a count far beyond a Poisson process of the usual rate. Not used if only a part of the
 * lines was read.
 */
export function surging(templates: readonly LogTemplate[], frame: IncidentFrame): LogTemplate[] {
  const from = Math.max(frame.start, Math.min(...templates.map(({ first }) => first)));
  const quietUntil = quietUntilOf(frame);
  const quietMs = quietUntil - from;
  const lateMs = frame.now - quietUntil;
  if (!(quietMs > 0 && lateMs > 0)) return [];
  const growths = growthByNode(templates, lateMs / quietMs);
  return templates.flatMap((each) => {
    const { error, warning, early, count, isCut, late, node = '' } = each;
    if ((!error && !warning) || early === 0 || isCut === true) return [];
    const expected = (early / quietMs) * late.widthMs;
    const growth = (count - early) / (early * (lateMs / quietMs));
    if (growth < BEYOND_OTHERS * (growths.get(node) ?? 1)) return [];
    const onset = onsetOf(late, expected);
    return onset === undefined ? [] : [{ ...each, first: quietUntil + onset, surges: true }];
  });
}

/** The time in ms at which a count permanently exceeds the expected count of an interval. */
function onsetOf({ counts, widthMs }: LateCounts, expected: number): number | undefined {
  const isHigh = (count: number) => count > TIMES * expected && count > 1;
  const high = counts.map(isHigh);
  const i = high.findIndex((_, at) => beginsAndLasts(high.slice(at)));
  if (i < 0) return undefined;
  const rest = counts.slice(i);
  const usual = expected * rest.length;
  const seen = rest.reduce((sum, count) => sum + count, 0);
  return (seen - usual) / Math.sqrt(usual + 1) >= DEVIATIONS ? i * widthMs : undefined;
}

/** The growth factor of harmless lines of nodes since the quiet time, at least 1. */
function growthByNode(templates: readonly LogTemplate[], share: number): Map<string, number> {
  const lines = new Map<string, { early: number; late: number }>();
  for (const { node = '', early, count, error, warning } of templates) {
    if (error || warning) continue;
    const known = lines.get(node) ?? { early: 0, late: 0 };
    lines.set(node, { early: known.early + early, late: known.late + count - early });
  }
  return new Map(
    [...lines].map(([node, { early, late }]) => [
      node,
      early === 0 ? 1 : Math.max(1, late / (early * share)),
    ]),
  );
}
