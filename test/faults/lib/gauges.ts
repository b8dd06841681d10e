/** What is looked at now and then while the chaos is at work. */
export interface Sample {
  /** Runs that have ended. */
  runs: number;
  /**
   * Of the processes that live through all of it, MB: `worker resident`, `worker heap` (after a
   * collection), …
   */
  memory: Record<string, number>;
  /**
   * Resources of processes, and keys of Redis that are neither kept on purpose nor of an open run:
   * `worker handles`, `stray keys`, …
   */
  counts: Record<string, number>;
  /** All keys of Redis. */
  keys: number;
}

/** Less than that is no trend: processes warm up, and what is measured is noisy. */
const FEWEST = 12;
/**
 * How much more there may be in the last third than in the middle one: of memory a quarter, and
 * what a collector may have put off, MB.
 */
const MORE = 1.25;
const MB = 24;
/**
 * Of what is counted: keys that wind down at the moment of a sample, and what is held for the runs
 * that are open then.
 */
const STRAYS = 40;
const HELD = 400;

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** @returns what grows; empty: nothing does */
export function judgeGauges(samples: readonly Sample[]): string[] {
  if (samples.length < FEWEST) return [];
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, 2 * third);
  const last = samples.slice(2 * third);
  const grows = (
    of: 'memory' | 'counts',
    most: (before: number, name: string) => number,
    unit: string,
  ): string[] =>
    Object.keys(samples[0]?.[of] ?? {}).flatMap((name) => {
      const [before, after] = [middle, last].map((part) =>
        median(part.map((sample) => sample[of][name] ?? 0)),
      ) as [number, number];
      return after > most(before, name) ? [`${name} grows: from ${before} to ${after}${unit}`] : [];
    });
  return [
    ...grows('memory', (before) => before * MORE + MB, ' MB'),
    ...grows('counts', (before, name) => before + (name === 'stray keys' ? STRAYS : HELD), ''),
  ];
}

/** Samples in lines: the median of each third. */
export function describeGauges(samples: readonly Sample[]): string {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last) return 'nothing was measured';
  const third = Math.ceil(samples.length / 3);
  const thirds = [0, 1, 2]
    .map((n) => samples.slice(n * third, (n + 1) * third))
    .filter((part) => part.length > 0);
  const line = (of: 'memory' | 'counts', unit: string) =>
    Object.keys(first[of])
      .map(
        (name) =>
          `${name} ${thirds.map((part) => median(part.map((sample) => sample[of][name] ?? 0))).join(' → ')}${unit}`,
      )
      .join(', ');
  const kept = last.runs > 0 ? (last.keys / last.runs).toFixed(1) : '0';
  return `${samples.length} samples, medians of their thirds: ${line('memory', ' MB')}; ${line('counts', '')}; ${kept} keys kept a run`;
}
