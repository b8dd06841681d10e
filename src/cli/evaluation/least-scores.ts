import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { unreadable } from '../../lib/unreadable.js';
import type { Score } from './score.js';
import { bySet, summarise } from './score-table.js';

const count = z.int().nonnegative().optional();
const leastSchema = z.record(
  z.string(),
  z.strictObject({
    'AC@1': z.number().min(0).max(1).optional(),
    kind: count,
    change: count,
    text: count,
    calm: count,
  }),
);
/** By set, the share and the counts that its scores must reach. */
export type LeastScores = z.infer<typeof leastSchema>;

/** @throws an Error that names the file and what is wrong with it */
export async function readLeastScores(path: string): Promise<LeastScores> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(unreadable(path, cause), { cause });
  });
  try {
    return leastSchema.parse(JSON.parse(text));
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : (cause as Error).message;
    throw new Error(`${path} is no file of least scores: ${why}`, { cause });
  }
}

/**
 * The scores that are below the minimum, one line each. A set without a scored incident reaches
 * none of its scores.
 */
export function scoresBelow(least: LeastScores, scores: readonly Score[]): string[] {
  const sets = bySet(scores);
  return Object.entries(least).flatMap(([set, { 'AC@1': share, ...counts }]) => {
    const { accuracy, parts } = summarise(sets.get(set) ?? []);
    const first = Number.isNaN(accuracy[0]) ? 0 : accuracy[0];
    // A share is printed, and compared, with three digits.
    const below = share !== undefined && Number(first.toFixed(3)) < share;
    return [
      ...(below ? [`${set}: AC@1 is ${first.toFixed(3)}, at least ${share}`] : []),
      ...Object.entries(counts).flatMap(([part, wanted]) => {
        const [right] = parts[part as keyof typeof counts];
        return wanted !== undefined && right < wanted
          ? [`${set}: ${part} is ${right}, at least ${wanted}`]
          : [];
      }),
    ];
  });
}
