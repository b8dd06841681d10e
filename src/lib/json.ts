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

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
