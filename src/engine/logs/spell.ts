import type { LogTemplate } from './log-templates.js';

/** Errors of a period that has ended. */
export interface Spell {
  node?: string;
  from: number;
  until: number;
  /** The text of the first of them. */
  says: string;
}

const CALM_MS = 10 * 60_000;
/** A nightly job that failed once counts as failed until it succeeds, however long ago that is. */
const SHORTEST_MS = 60_000;

/**
 * The spell of errors that is over: there was none for longer than they lasted, while each node
 * that had some wrote other lines.
 * @param errors that are new or surge
 * @param all templates
 */
export function passedSpell(
  errors: readonly LogTemplate[],
  all: readonly LogTemplate[],
  now: number,
): Spell | undefined {
  const [earliest] = errors.toSorted((a, b) => a.first - b.first);
  if (earliest === undefined) return undefined;
  const until = Math.max(...errors.map(({ last }) => last));
  const lastedMs = until - earliest.first;
  if (lastedMs < SHORTEST_MS || now - until <= Math.max(CALM_MS, lastedMs)) return undefined;
  const isAlive = ({ node }: LogTemplate) =>
    all.some((each) => each.node === node && !each.error && each.last > until);
  if (!errors.every(isAlive)) return undefined;
  const { node, first: from, sample } = earliest;
  return { ...(node !== undefined && { node }), from, until, says: sample.body };
}
