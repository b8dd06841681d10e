import type { RuleContext } from '../domain/notifications/pump.js';

/** The input of a condition. */
export interface RuleView {
  /**
   * Values of the documented context: integers as bigint, texts and lists bounded. See {@link
   * bounded}.
   */
  values: RuleContext;
  /** Number of calls of a tool with a result, and without. */
  completed(tool: string): number;
  failed(tool: string): number;
  /** 0 to 1. */
  contextUsage: number;
  messages: number;
}

const TEXT = 4_096;
const ENTRIES = 100;
const DEEPEST = 6;

/**
 * Converts a value for an expression: whole numbers become integers, long and deep values are cut.
 * The cost is bounded by the result.
 */
export function bounded(value: unknown, depth = 0): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string') return value.length > TEXT ? value.slice(0, TEXT) : value;
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth >= DEEPEST) return null;
  if (Array.isArray(value))
    return value.slice(0, ENTRIES).map((entry) => bounded(entry, depth + 1));
  const kept: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    if (kept.length === ENTRIES) break;
    kept.push([key.slice(0, TEXT), bounded((value as Record<string, unknown>)[key], depth + 1)]);
  }
  return Object.fromEntries(kept);
}
