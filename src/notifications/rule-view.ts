import type { RuleContext } from '../domain/notifications/pump.js';

/** What a condition is asked of. */
export interface RuleView {
  /** By the names of the documented context: integers as bigint, texts and lists bounded. See {@link bounded}. */
  values: RuleContext;
  /** How often a tool has come back with a result, and without. */
  completed(tool: string): number;
  failed(tool: string): number;
  /** 0 to 1. */
  contextUsage: number;
  messages: number;
}

const TEXT = 4_096;
const ENTRIES = 100;
const DEEPEST = 6;

/** A value as an expression sees it: whole numbers are integers, what is long or deep is cut. Costs at most what it keeps. */
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
