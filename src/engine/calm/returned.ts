import { stepOf } from '../series/finite-points.js';
import { bandOf, sideOf } from '../series/onset/band.js';
import { clock } from '../signs/sign.js';
import type { AlertCase } from './alert-case.js';
import { compareWithUsual, goesOn, joined } from './as-usual.js';
import { areComplaintsOver, CALM_MS, hasLostTraffic, isQuietAround } from './users-signals.js';

/** One or two points that are back may be chance. */
const CALM_POINTS = 3;

/**
 * The metric that an alert names was outside of its usual band, and has been back for longer than
 * it was out: an alarm that stays on until a person acknowledges it describes the past.
 */
export function hasReturned(given: AlertCase): string | undefined {
  const { alert, frame, named } = given;
  if (named.length === 0 || !named.every((each) => goesOn(each, frame))) return undefined;
  const spells = [...joined(named).values()].map((parts) => {
    const compared = compareWithUsual(parts, alert, frame);
    if (compared === undefined) return undefined;
    const { name, node, usual, now } = compared;
    const band = bandOf(usual);
    const out = now.filter(({ value }) => sideOf(value, band) !== 0);
    const calmMs = Math.max(CALM_MS, CALM_POINTS * stepOf(now.map(({ at }) => at)));
    return { name, node, from: out[0]?.at ?? NaN, until: out.at(-1)?.at ?? NaN, calmMs };
  });
  const isBack = (spell: (typeof spells)[number]) =>
    spell !== undefined &&
    (Number.isNaN(spell.from) ||
      frame.now - spell.until > Math.max(spell.calmMs, spell.until - spell.from));
  const first = spells.find((spell) => spell !== undefined && !Number.isNaN(spell.from));
  if (first === undefined || !spells.every(isBack) || hasLostTraffic(given)) return undefined;
  return areComplaintsOver(given) && isQuietAround(given)
    ? `${first.name} of ${first.node} was unusual from ${clock(first.from)} until ${clock(first.until)}, and is back`
    : undefined;
}
