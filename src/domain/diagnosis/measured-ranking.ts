import { z } from 'zod';
import { clip } from '../../lib/text.js';
import { FAILURE_KINDS } from './failure-kind.js';

// Longer texts are cut, not refused: text of a target must not make a root cause disappear.
const text = (most: number) => z.string().transform((given) => clip(given, most));
const sentences = z.array(text(1_000)).transform((all) => all.slice(0, 20));
const cause = z.object({
  node: z.string(),
  kind: z.enum(FAILURE_KINDS).catch('unknown'),
  steps: z.string().max(60).exactOptional(),
  title: text(1_000),
  score: z.number(),
  confidence: z.number().min(0).max(1),
  change: text(200).optional(),
  onset: z.string().max(40).optional(),
  /** An alert is the only evidence for it; absent in older logs. */
  alertOnly: z.boolean().optional(),
  for: sentences,
  against: sentences,
});

/** Telemetry that could not be read: of these nodes, or of all that have it. */
const gap = z.object({
  telemetry: z.string().max(40),
  reason: text(1_000),
  /** The credential has no right to read it. */
  forbidden: z.boolean(),
  nodes: z.array(z.string()).exactOptional(),
});

/** The measurements of `rank_root_causes` that a conclusion needs. */
export const rankingSchema = z.object({
  causes: z.array(cause).transform((all) => all.slice(0, 50)),
  rejected: z
    .array(z.object({ node: z.string(), title: text(1_000), reasons: sentences }))
    .transform((all) => all.slice(0, 20))
    .default([]),
  /** Until when telemetry was read: a recording ends in the past. Absent in older logs. */
  now: z.string().max(40).exactOptional(),
  /** What was changed last, newest first. */
  recent: z
    .array(
      z.object({ change: text(200), node: z.string(), title: text(200), at: z.string().max(40) }),
    )
    .transform((all) => all.slice(0, 20))
    .exactOptional(),
  /** If nothing is wrong now: errors that are over. */
  passed: z
    .object({ node: z.string(), from: z.string().max(40), until: z.string().max(40) })
    .exactOptional(),
  /** If nothing is wrong: what contradicts the alert. */
  refutation: text(1_000).exactOptional(),
  gaps: z.array(gap).exactOptional(),
  /** The same as text; logs of earlier versions have only this. */
  unread: z.array(z.string()).exactOptional(),
});
export type MeasuredRanking = z.infer<typeof rankingSchema>;
export type PassedFailure = NonNullable<MeasuredRanking['passed']>;
export type TelemetryGap = z.infer<typeof gap>;
