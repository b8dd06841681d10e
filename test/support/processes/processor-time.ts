import { readFileSync } from 'node:fs';

/** Linux: ns on a processor, ns of waiting for one, and time slices of the thread that reads it. */
const SCHEDSTAT = '/proc/thread-self/schedstat';
/**
 * What the reference computation takes on the processor that the bounds of the tests were chosen
 * on.
 */
const REFERENCE_MS = 60;

function usedMs(): number {
  try {
    return Number(readFileSync(SCHEDSTAT, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

/** Work of the kind that tests bound: parses, sorts, and searches text. */
function compute(): number {
  const entries = Array.from({ length: 2_000 }, (_, i) => ({
    id: `n${(i * 7_919) % 2_000}`,
    text: 'x '.repeat(i % 20),
  }));
  const parsed = JSON.parse(JSON.stringify(entries)) as typeof entries;
  return parsed
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .reduce((length, { text }) => length + text.replace(/x\s/g, 'y').length, 0);
}

/** How many times as long as the reference processor this one takes, at least 1. */
function slowness(): number {
  const before = usedMs();
  for (let i = 0; i < 20; i++) compute();
  return Math.max(1, (usedMs() - before) / REFERENCE_MS);
}

let measured: number | undefined;

/** ms of this processor, as ms of the reference processor if that is faster. */
export const referenceMs = (ms: number): number => ms / (measured ??= slowness());

/**
 * ms of processor time that this thread has used, as on the reference processor. Unlike the clock
 * it counts neither what else the machine does nor how slow its processor is, so that a test may
 * bound it. Elsewhere than on Linux that of the whole process.
 */
export function processorMs(): number {
  measured ??= slowness();
  return referenceMs(usedMs());
}

/**
 * ms of processor time that work takes; other work of this thread that runs while it waits is
 * counted too.
 */
export async function processorMsOf(work: () => unknown): Promise<number> {
  const before = processorMs();
  await work();
  return processorMs() - before;
}
