/** Counts since a time, in intervals of one length, in ms. */
export interface LateCounts {
  counts: number[];
  widthMs: number;
}

const MOST_INTERVALS = 64;
const LEAST_WIDTH_MS = 60_000;
export const noCounts = (): LateCounts => ({ counts: [], widthMs: LEAST_WIDTH_MS });

/**
 * Counts an occurrence, `ms` after the beginning. Intervals double in length once there are too
 * many, so that memory stays bounded.
 */
export function countAt(late: LateCounts, ms: number): void {
  while (ms >= MOST_INTERVALS * late.widthMs) {
    late.counts = late.counts.flatMap((count, i) =>
      i % 2 === 0 ? [count + (late.counts[i + 1] ?? 0)] : [],
    );
    late.widthMs *= 2;
  }
  const i = Math.floor(ms / late.widthMs);
  while (late.counts.length <= i) late.counts.push(0);
  late.counts[i] = (late.counts[i] ?? 0) + 1;
}
