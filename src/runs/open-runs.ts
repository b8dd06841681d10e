import type { RunState } from '../event-log/log-port.js';

/** A run among the open ones of its tenant, with the time in ms when it was entered. */
export interface OpenEntry {
  runId: string;
  enteredAt: number;
}

/** Tokens, and their cost in the currency of the prices. */
export interface Spent {
  tokens: number;
  cost: number;
}

/**
 * Moves the usage of a run that has ended to a day, once. KEYS: open runs, usage of the day. ARGV: run, tokens, cost, seconds to
 * live.
 */
export const SETTLE = `
if redis.call('ZREM', KEYS[1], ARGV[1]) == 0 then return end
redis.call('HINCRBY', KEYS[2], 'tokens', ARGV[2])
redis.call('HINCRBYFLOAT', KEYS[2], 'cost', ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])`;

/**
 * Reserves a place among the open runs. A run that may be known already is not entered itself: if it has ended, it was counted, and
 * would be once more if this process died now. KEYS: open runs. ARGV: run, time in ms.
 */
export const RESERVE = `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
return redis.call('ZADD', KEYS[1], 'NX', ARGV[2], '?' .. ARGV[1])`;

/** Enters a run in its reserved place, once. KEYS: open runs. ARGV: run. */
export const ENTER = `
local at = redis.call('ZSCORE', KEYS[1], '?' .. ARGV[1])
if not at then return end
redis.call('ZREM', KEYS[1], '?' .. ARGV[1])
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])`;

/** The reserved place of a run that is not entered yet. It is forgotten like an entry without a log. */
export const reserved = (runId: string) => `?${runId}`;

/** @param found names and scores in turn */
export const openEntries = (found: readonly string[]): OpenEntry[] =>
  found.flatMap((runId, i) => (i % 2 === 0 ? [{ runId, enteredAt: Number(found[i + 1]) }] : []));

/** What a run has spent; nothing if it has no log. */
export const usageOf = (state: RunState | undefined): Spent => {
  const { total_tokens: tokens = 0, cost = 0 } = state?.usage ?? {};
  return { tokens, cost };
};

/** The day (UTC) of a time in ms as in keys: `2026-01-31`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);
