import { z } from 'zod';
import { EVENT_NAMES } from '../../domain/events/event.js';
import { eventSchema, report } from '../../domain/events/event-schemas.js';
import type { JsonSchema } from '../../domain/json-schema.js';
import { LIMIT_NAMES, type LimitName } from '../../domain/limits/limit-bounds.js';
import { RUN_STATUSES, type RunStatus } from '../../domain/run-status.js';
import { runDigest } from './run-digest.js';

/** Converts to OpenAPI 3.0, which writes null and constants differently. */
function toOpenApi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApi);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { anyOf, const: constant, ...rest } = schema as JsonSchema;
  const known = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, toOpenApi(value)]),
  );
  if (constant !== undefined) return { ...known, type: 'string', enum: [constant] };
  // The only unions are "this, or null".
  if (Array.isArray(anyOf)) return { ...(toOpenApi(anyOf[0]) as object), nullable: true };
  return known;
}

/** A value of an event, with the schema of the events. */
const described = <T = unknown>(schema: JsonSchema) =>
  z.unknown().meta(toOpenApi(schema) as JsonSchema) as unknown as z.ZodType<T>;

const time = z.iso.datetime().nullable();

/** A run in a list (contract section 3). */
export const runCard = z.object({
  runId: z.string(),
  kind: z.enum(['diagnosis', 'chat']),
  status: z.enum(RUN_STATUSES as [RunStatus]),
  topologyId: z.int().nullable(),
  topologyName: z.string().nullable(),
  topologyVersion: z.int().nullable(),
  userMessage: z.string(),
  createdAt: time,
  startedAt: time,
  endedAt: time,
  /** When the run ends at the latest, but for a few seconds of grace. */
  deadline: time,
  lastSequence: z.int(),
  /** False: the log is no longer kept, only this and the report. */
  logKept: z.boolean(),
  usage: z.object({
    input_tokens: z.int(),
    output_tokens: z.int(),
    total_tokens: z.int(),
    cost: z.number().optional(),
  }),
  ...runDigest.shape,
});
export type RunCard = z.infer<typeof runCard>;

/** Ended runs have a report, which is null for a chat. */
export const runView = runCard.extend({
  /** The effective limits; null for a run of an older version. */
  limits: z
    .object(
      Object.fromEntries(LIMIT_NAMES.map((name) => [name, z.int()])) as Record<LimitName, z.ZodInt>,
    )
    .nullable(),
  quiesced: z.boolean(),
  stopping: z.array(z.string()),
  summary: z.string().nullable(),
  report: described({ anyOf: [report, { type: 'null' }] }),
});

export const runPage = z.object({ items: z.array(runCard), nextCursor: z.string().nullable() });

export const accepted = z.object({
  runId: z.string(),
  status: z.enum(RUN_STATUSES as [RunStatus]),
  eventsUrl: z.string(),
});

export const cancelled = z.object({
  type: z.literal('cancelled'),
  runId: z.string(),
  content: z.string(),
  timestamp: z.iso.datetime(),
});

/** A page of the log of a run. */
export const eventPage = z.object({
  items: z.array(described({ oneOf: EVENT_NAMES.map((name) => eventSchema(name)) })),
  nextAfter: z.int().nullable(),
  /** Of a page that was asked for with `before`. */
  nextBefore: z.int().nullable().optional(),
});
