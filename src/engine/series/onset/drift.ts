import type { Series } from '../../../domain/telemetry/records.js';
import { median } from '../../stats.js';
import { bandOf, sideOf } from './band.js';
import { beginsAndLasts, holdsMostly } from './lasts.js';

type Points = Pick<Series, 'times' | 'values'>;

/** A step in a series that drifts, like one with a daily rhythm. */
export interface DriftStep {
  /** Index of its first point. */
  index: number;
  /** The level before it. */
  from: number;
  /** A robust standard deviation of how the series usually moves. */
  spread: number;
  /** Greatest move that is usual. */
  limit: number;
  direction: 1 | -1;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Levels are medians of this duration, and of at least this many points. */
const WINDOW = 15 * MINUTE;
const LEAST_POINTS = 5;
/** Number of levels that are compared in each window. */
const COMPARED = 4;
/** Only a quiet half of at least this many windows shows how a series moves. */
const LEAST_WINDOWS = 4;
/** Minimum length of the last window. */
const LEAST_LAST = 3;
/**
 * Minimum movement as a share of the level: a series that hardly moves in the quiet half moves a
 * little at other times.
 */
const LEAST_SPREAD = 0.02;
/** A move shows in the levels of this many windows before and after it. */
const SHOWS = 1.5;
/** Without one move, this share of the others shows how a series usually moves. */
const OTHERS = 0.5;
/** A series that moved by this much, one way, may move back as fast, and half as fast again. */
const TURNS = 1.5;
/**
 * A step in the quiet half is this many times as large as any other move there; one is small if the
 * series ends this many times as far from where it began.
 */
const MUCH_GREATER = 3;

/** Whether a recording is too short to show the daily rhythm, and long enough to drift with it. */
export function mayDrift({ times }: Points): boolean {
  const span = (times.at(-1) ?? NaN) - (times[0] ?? NaN);
  return span < DAY && span / 2 >= LEAST_WINDOWS * windowOf(times);
}

const windowOf = (times: readonly number[]): number => {
  const span = (times.at(-1) ?? NaN) - (times[0] ?? NaN);
  return Math.max(WINDOW, (LEAST_POINTS * span) / (times.length - 1));
};

/** The difference between the levels after and before a point. */
interface Move {
  index: number;
  from: number;
  by: number;
}

/**
 * The moves of the quiet half without the largest, and those that show the same, if it is much
 * larger than all others and does not continue: it may be a step.
 */
function usualAmong(moves: readonly Move[], quietUntil: number, reach: number): readonly Move[] {
  const sizeOf = ({ by }: Move) => Math.abs(by);
  const quiet = moves.filter(({ index }) => index <= quietUntil);
  const [greatest] = quiet.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  if (greatest === undefined) return quiet;
  const distanceOf = ({ index }: Move) => index - greatest.index;
  const others = quiet.filter((move) => Math.abs(distanceOf(move)) >= reach);
  const next = moves.filter((move) => distanceOf(move) >= reach && distanceOf(move) < 2 * reach);
  const isTold = others.length >= OTHERS * quiet.length;
  const greatestOther = Math.max(...[...others, ...next].map(sizeOf));
  return isTold && sizeOf(greatest) > MUCH_GREATER * greatestOther ? others : quiet;
}

/**
 * The first lasting step that is unusual for the movement of the series itself: the levels of
 * neighbouring windows differ by more than they do in the first half, apart from a single step
 * there.
 *
 * @param until points later than this begin no step
 */
export function stepBeyondDrift({ times, values }: Points, until: number): DriftStep | undefined {
  const count = times.length;
  const width = Math.max(
    LEAST_POINTS,
    Math.round((windowOf(times) / ((times.at(-1) ?? NaN) - (times[0] ?? NaN))) * count),
  );
  const moves: Move[] = [];
  const stride = Math.max(1, Math.floor(width / COMPARED));
  for (let index = width; index <= count - LEAST_LAST; index += stride) {
    const from = median(values.slice(index - width, index));
    moves.push({ index, from, by: median(values.slice(index, index + width)) - from });
  }
  const usual = usualAmong(moves, count / 2 - width, SHOWS * width).map(({ by }) => by);
  const quiet = bandOf(usual);
  const widest = Math.max(...usual.map(Math.abs));
  // The level before a spell that did not last: a return to it is no step.
  let before: number | undefined;
  const end = median(values.slice(-LEAST_POINTS));
  let small: DriftStep | undefined;
  for (const { index, from, by } of moves) {
    const least = bandOf([from], LEAST_SPREAD);
    const band = {
      from: quiet.from,
      spread: Math.max(quiet.spread, least.spread),
      limit: Math.max(quiet.limit, least.limit),
    };
    const direction = sideOf(by, band);
    if (direction === 0 || Math.abs(by) <= TURNS * widest) continue;
    const isOver = (value: number) => direction * (value - from) > Math.abs(by) / 2;
    const near = values.slice(index, index + width).map(isOver);
    const first = Math.max(
      0,
      near.findIndex((_, i) => beginsAndLasts(near.slice(i))),
    );
    const rest = values.slice(index + first);
    if (!holdsMostly(rest.map(isOver))) {
      before ??= from;
      continue;
    }
    const to = from + by;
    if (before !== undefined && Math.abs(to - before) < Math.abs(by) / 2) continue;
    if ((times[index + first] ?? Infinity) > until) return small;
    const step: DriftStep = {
      index: index + first,
      from,
      direction,
      spread: band.spread,
      limit: band.limit,
    };
    // A small move seems to last if a much greater one follows, which begins elsewhere.
    if (direction * (end - from) <= MUCH_GREATER * Math.abs(by)) return step;
    small ??= step;
  }
  return small;
}
