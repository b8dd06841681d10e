import { z } from 'zod';
import { asText } from '../../lib/json.js';

/** Attributes of OTLP/JSON: `[{key, value: {stringValue | intValue | …}}]`. */
export const otlpAttributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()).optional() }))
  .default([]);

export function attributesOf(list: z.infer<typeof otlpAttributes>): Record<string, string> {
  return Object.fromEntries(list.map(({ key, value }) => [key, textOfValue(value)]));
}

/** The text of an OTLP AnyValue; JSON of one that is a list or an object. */
export function textOfValue(value: Record<string, unknown> | undefined): string {
  return asText(value === undefined ? '' : Object.values(value)[0]);
}

/** An object with texts as values: a number becomes its digits, an object its JSON. */
export const textValues = z
  .record(z.string(), z.unknown())
  .default({})
  .transform((object) =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, asText(value)])),
  );

/** Milliseconds of a number of nanoseconds, which JSON holds as a text: exact to a microsecond. */
const nanosToMs = (text: string): number => Number(BigInt(text) / 1_000n) / 1_000;
export const nanos = z
  .union([z.string().regex(/^\d{1,20}$/), z.number().nonnegative()])
  .transform((value) => (typeof value === 'string' ? nanosToMs(value) : value / 1e6));
