/** What survives `JSON.parse(JSON.stringify(x))` unchanged: the only kind of value that a blackboard, a payload or a tool result may hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A text of an object; empty where there is none. */
export const textOf = (object: JsonObject | undefined, key: string): string => {
  const value = object?.[key];
  return typeof value === 'string' ? value : '';
};
