import { z } from 'zod';

const time = z.iso
  .datetime({
    offset: true,
    error: ({ input }) =>
      input === undefined ? 'is missing' : 'must be a time such as 2026-06-18T14:00:00Z',
  })
  .transform((text) => Date.parse(text));
/** Telemetry of a node that could not be read when the bundle was captured. */
const unread = z.object({
  telemetry: z.enum(['metrics', 'logs', 'traces', 'changes']),
  node: z.string().max(1_000),
  reason: z.string().max(1_000),
  refused: z.boolean().default(false),
});
export type RecordedGap = z.infer<typeof unread>;

const coverage = z.enum(['complete', 'sampled', 'partial']);

/** incident.yaml of a bundle (format `consilium/incident@1`), times as milliseconds. */
export const manifestSchema = z.object({
  schema: z.literal('consilium/incident@1'),
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be letters, digits, . _ and -'),
  title: z.string().max(1_000).optional(),
  message: z.string().max(20_000).optional(),
  start: time,
  now: time,
  reportedAt: time.optional(),
  baseline: z.object({ from: time, to: time }).optional(),
  /** Folders beside the bundle, and no others. */
  include: z
    .array(
      z
        .string()
        .regex(
          /^\.\.\/(?!.*\.\.)[A-Za-z0-9._/-]+$/,
          'must be a folder beside the bundle, such as ../parts',
        ),
    )
    .max(100)
    .default([]),
  /** Data that is missing in the bundle, and may have existed. */
  unread: z.array(unread).max(5_000).default([]),
  coverage: z
    .object({
      metrics: coverage,
      logs: coverage,
      traces: coverage,
      changes: coverage,
      kubernetes: coverage,
      recordings: coverage,
    })
    .partial()
    .default({}),
});
export type Manifest = z.infer<typeof manifestSchema>;
