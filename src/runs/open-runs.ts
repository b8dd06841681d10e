import type { RunState } from '../event-log/log-port.js';

/** A run among the open ones of its tenant, with the time in ms when it was entered. */
export interface OpenEntry {
  runId: string;
  enteredAt: number;
}

/** Tokens, and their cost in the currency of the prices. */
export interface Spending {
  tokens: number;
  cost: number;
}

/**
 * Moves the usage of a run that has ended to a day, once. KEYS: open runs, usage of the day. ARGV:
 * run, tokens, cost, seconds to live.
 */
export const SETTLE = `
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return end
redis.call('HINCRBY', KEYS[2], 'tokens', ARGV[2])
redis.call('HINCRBYFLOAT', KEYS[2], 'cost', ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])`;

/**
 * Gives a run a place among the open runs, unless it has one. KEYS: open runs, usage of the day.
 * ARGV: run, its name there, time in ms, whether there are limits of a day. @returns whether it had
 * none, the number of open runs, and for limits of a day their names and times, and the usage of
 * the day
 */
export const PLACE = `
local added = 0
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  added = redis.call('ZADD', KEYS[1], 'NX', ARGV[3], ARGV[2])
end
local count = redis.call('ZCARD', KEYS[1])
if ARGV[4] == '0' then return {added, count} end
local open = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
return {added, count, open, redis.call('HMGET', KEYS[2], 'tokens', 'cost')}`;

/** Enters a run in its reserved place, once. KEYS: open runs. ARGV: run. */
export const ENTER = `
local at = redis.call('ZSCORE', KEYS[1], '?' .. ARGV[1])
if not at then return end
redis.call('ZREM', KEYS[1], '?' .. ARGV[1])
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])`;

/**
 * The reserved place of a run that is not entered yet. A run that may be known already is not
 * entered itself: if it has ended, it was counted, and would be counted twice if this process died
 * then. The place is removed like an entry without a log.
 */
export const reserved = (runId: string) => `?${runId}`;

/** @param found names and scores in turn */
export const openEntries = (found: readonly string[]): OpenEntry[] =>
  found.flatMap((runId, i) => (i % 2 === 0 ? [{ runId, enteredAt: Number(found[i + 1]) }] : []));

/** The tokens and cost of a run; none if it has no log. */
export const usageOf = (state: RunState | undefined): Spending => {
  const { total_tokens: tokens = 0, cost = 0 } = state?.usage ?? {};
  return { tokens, cost };
};

/** The day (UTC) of a time in ms as in keys: `2026-01-31`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
