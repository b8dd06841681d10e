/** What was measured at one moment, over all processes. */
export interface LoadSample {
  /** MB of the largest process, and of all. */
  most: number;
  sum: number;
  /** ms: p99 of the event loop of the slowest process. */
  lagMs: number;
  /** s for which the oldest job has waited for a slot. */
  waitSeconds: number;
}

/** What was accepted of one kind, and what became of it. */
export interface Accepted {
  accepted: number;
  /** Of these: did not end as it should. */
  lost: number;
  /** ms from the request to the end. */
  took: number[];
}

const middle = (values: readonly number[]): number => quantile(values, 0.5);

/** @param share 0 to 1 */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Medians of the three thirds of a series. */
function thirds(values: readonly number[]): string {
  const size = Math.ceil(values.length / 3);
  return [0, 1, 2].map((i) => middle(values.slice(i * size, (i + 1) * size))).join(', ');
}

/** The lines that are printed at the end. */
export function describeLoad(
  samples: readonly LoadSample[],
  kinds: Readonly<Record<string, Accepted>>,
): string[] {
  const of = (key: keyof LoadSample) => samples.map((sample) => sample[key]);
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);
  return [
    `memory, MB, medians of the thirds: largest process ${thirds(of('most'))}; all ${thirds(of('sum'))}; at most ${Math.max(0, ...of('most'))} in one`,
    `event loop, p99 of the slowest process, ms: median ${middle(of('lagMs')).toFixed(0)}, most ${Math.max(0, ...of('lagMs')).toFixed(0)}`,
    `oldest job that waits for a slot, s: median ${middle(of('waitSeconds')).toFixed(1)}, most ${Math.max(0, ...of('waitSeconds')).toFixed(1)}`,
    ...Object.entries(kinds).map(
      ([kind, { accepted, lost, took }]) =>
        `${kind}: ${accepted} accepted, ${lost} lost; to the end, s: median ${seconds(middle(took))}, p99 ${seconds(quantile(took, 0.99))}`,
    ),
  ];
}
