import { z } from 'zod';
import { FAILURE_KINDS } from './failure-kind.js';

const sentences = z.array(z.string().max(1_000)).max(20);
const cause = z.object({
  node: z.string(),
  kind: z.enum(FAILURE_KINDS).catch('unknown'),
  title: z.string().max(1_000),
  score: z.number(),
  confidence: z.number().min(0).max(1),
  change: z.string().max(200).optional(),
  onset: z.string().max(40).optional(),
  for: sentences,
  against: sentences,
});

/** The measurements of `rank_root_causes`, as far as a conclusion needs them. */
export const rankingSchema = z.object({
  causes: z.array(cause).max(50),
  rejected: z
    .array(z.object({ node: z.string(), title: z.string().max(1_000), reasons: sentences }))
    .max(20)
    .default([]),
});
export type MeasuredRanking = z.infer<typeof rankingSchema>;
