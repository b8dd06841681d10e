/**
 * A value that `JSON.parse(JSON.stringify(x))` does not change. Blackboards, payloads and tool
 * results contain only such values.
 */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A string property of an object; empty if it is missing or not a string. */
export const textOf = (object: JsonObject | undefined, key: string): string => {
  const value = object?.[key];
  return typeof value === 'string' ? value : '';
};

/** A text as it is, another value as JSON; empty if it is nested too deeply to be written. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return value === undefined ? '' : JSON.stringify(value);
  } catch {
    return ''; // A RangeError: deeper than the stack, which no program writes.
  }
}

/** Whether two values are the same JSON, whatever the order of keys. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, i) => isSameJson(item, other[i]));
  if (!isRecord(one) || !isRecord(other)) return one === other;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameJson(one[key], other[key]))
  );
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
