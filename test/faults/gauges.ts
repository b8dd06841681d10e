import { readFileSync } from 'node:fs';

/** What is looked at now and then while the nemesis is at work. */
export interface Sample {
  /** Runs that have ended. */
  runs: number;
  /** MB that each process holds which lives through all of it, by its role. */
  memory: Record<string, number>;
  /** Keys of Redis that are neither kept by design nor of a run that is open. */
  strayKeys: number;
  /** All of them. */
  keys: number;
}

/** Less than that is no trend: processes warm up, and what is measured is noisy. */
const FEWEST = 12;
/** What a process may hold more in the last third than in the middle one: a quarter, and what a collector may have put off. */
const [MORE, MB] = [1.25, 24];
/** What winds down at the moment of a sample. */
const KEYS = 40;

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** @returns what grows; empty: nothing does */
export function judgeGauges(samples: readonly Sample[]): string[] {
  if (samples.length < FEWEST) return [];
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const problems = Object.keys(samples[0]?.memory ?? {}).flatMap((role) => {
    const [before, after] = [middle, last].map((part) => median(part.map(({ memory }) => memory[role] ?? 0))) as [number, number];
    return after > before * MORE + MB ? [`the memory of the ${role} process grows: from ${before} to ${after} MB`] : [];
  });
  const [before, after] = [middle, last].map((part) => median(part.map(({ strayKeys }) => strayKeys))) as [number, number];
  if (after > before + KEYS) problems.push(`keys are left behind: ${before}, and then ${after}`);
  return problems;
}

/** Samples in a line: how each began and ended. */
export function describeGauges(samples: readonly Sample[]): string {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return 'nothing was measured';
  const memory = Object.keys(last.memory).map((role) => `${role} ${first.memory[role]} → ${last.memory[role]} MB`);
  const strays = samples.map(({ strayKeys }) => strayKeys);
  const kept = last.runs > 0 ? (last.keys / last.runs).toFixed(1) : '0';
  return `${samples.length} samples: ${memory.join(', ')}; stray keys median ${median(strays)}, at most ${Math.max(...strays)}; ${kept} keys kept a run`;
}

/** MB that a process holds. Linux only: 0 elsewhere. */
export function residentMb(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
