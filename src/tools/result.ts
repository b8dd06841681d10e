import type { JsonObject } from '../lib/json.js';
import type { Issue, NearThreshold, ToolResult } from '../domain/diagnosis/tool-result.js';

/** A result whose status follows from its issues: any critical one is `failed`, else any warning `degraded`. */
export function toolResult(
  summary: string,
  measurements: JsonObject,
  issues: Issue[],
  near: NearThreshold[] = [],
): ToolResult {
  const has = (severity: Issue['severity']) => issues.some((issue) => issue.severity === severity);
  const status = has('critical') ? 'failed' : has('warning') ? 'degraded' : 'ok';
  return { status, summary, measurements, issues, ...(near.length > 0 && { near }) };
}

/**
 * The issue that something took longer than it should, or none.
 * @param what begins the title: "answers", "takes a connection"
 */
export function slowIssue(what: string, tookMs: number, slowMs: number, how: string): Issue[] {
  if (tookMs <= slowMs) return [];
  return [
    {
      severity: 'warning',
      symptom: 'slow',
      title: `${what} in ${Math.round(tookMs)} ms, slower than ${slowMs} ms`,
      detail: `${how} ${tookMs} ms; expected at most ${slowMs} ms.`,
      duration_ms: tookMs,
      limit_ms: slowMs,
    },
  ];
}

/** The value as a near miss, if it is within a tenth below its threshold and not over it; else nothing. */
export function nearMaximum(metric: string, value: number, threshold: number): NearThreshold[] {
  return threshold > 0 && value <= threshold && value >= threshold * 0.9
    ? [{ metric, value, threshold }]
    : [];
}

/** The same for a threshold that a value must not fall below. */
export function nearMinimum(metric: string, value: number, threshold: number): NearThreshold[] {
  return threshold > 0 && value >= threshold && value <= threshold * 1.1
    ? [{ metric, value, threshold }]
    : [];
}

export const round = (value: number, digits = 1): number => Number(value.toFixed(digits));

/** Median, least and greatest of some samples, rounded to a tenth; null of none. */
export function spread(
  samples: readonly number[],
): { median: number; min: number; max: number } | null {
  const sorted = [...samples].sort((a, b) => a - b);
  const low = sorted[(sorted.length - 1) >> 1];
  const high = sorted[sorted.length >> 1];
  if (low === undefined || high === undefined) return null;
  return {
    median: round((low + high) / 2),
    min: round(sorted[0] ?? low),
    max: round(sorted.at(-1) ?? high),
  };
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes for a person: `1.5 MiB`. */
export function showBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${round(bytes / 1024 ** power)} ${UNITS[power]}`;
}
