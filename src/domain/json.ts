/** What survives `JSON.parse(JSON.stringify(x))` unchanged: the only kind of value that a blackboard, a payload or a tool result may hold. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };
