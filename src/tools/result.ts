import type { JsonObject } from '../lib/json.js';
import type {
  Issue,
  NearThreshold,
  Threshold,
  ToolResult,
} from '../domain/diagnosis/tool-result.js';

/** Thresholds, and near misses, that a result names. */
const MOST_JUDGED = 50;

/** A measured value with its threshold. */
export interface CheckedValue extends Threshold {
  value: number;
}

/**
 * A result whose status follows from its issues: any critical one is `failed`, otherwise any
 * warning `degraded`.
 * @param judged the values that were compared with a threshold; those within a tenth of it are near
 *   misses
 */
export function toolResult(
  summary: string,
  measurements: JsonObject,
  issues: Issue[],
  judged: readonly CheckedValue[] = [],
): ToolResult {
  const has = (severity: Issue['severity']) => issues.some((issue) => issue.severity === severity);
  const status = has('critical') ? 'failed' : has('warning') ? 'degraded' : 'ok';
  const near = judged.flatMap(nearMiss).slice(0, MOST_JUDGED);
  const thresholds = judged.slice(0, MOST_JUDGED).map(({ value: _value, ...rest }) => rest);
  return {
    status,
    summary,
    measurements,
    issues,
    ...(near.length > 0 && { near }),
    ...(thresholds.length > 0 && { thresholds }),
  };
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

/** Issues that a result names. */
const MOST_ISSUES = 15;
const RANKS: readonly Issue['severity'][] = ['critical', 'warning', 'info'];

/**
 * The most severe of all issues, with a note of how many more there are: a reader must not take a
 * part for the whole.
 */
export function worstIssues(
  issues: readonly Issue[],
  most = MOST_ISSUES,
): { shown: Issue[]; leftOff: number } {
  const sorted = issues.toSorted((a, b) => RANKS.indexOf(a.severity) - RANKS.indexOf(b.severity));
  const leftOff = Math.max(0, issues.length - most);
  if (leftOff === 0) return { shown: sorted, leftOff };
  const note: Issue = {
    severity: 'info',
    symptom: 'advisory',
    title: leftOff === 1 ? 'one more issue is not shown' : `${leftOff} more issues are not shown`,
    detail: `The ${most} worst of ${issues.length} are shown.`,
  };
  return { shown: [...sorted.slice(0, most), note], leftOff };
}

/** A value with a maximum. */
export const atMost = (metric: string, value: number, most: number): CheckedValue[] => [
  { metric, value, most },
];

/** A value with a minimum. */
export const atLeast = (metric: string, value: number, least: number): CheckedValue[] => [
  { metric, value, least },
];

/** A value that has not passed its threshold but is within a tenth of it. */
function nearMiss({ metric, value, most, least }: CheckedValue): NearThreshold[] {
  const isNear = (threshold: number, low: number, high: number) =>
    threshold > 0 && value >= low && value <= high ? [{ metric, value, threshold }] : [];
  return [
    ...(most === undefined ? [] : isNear(most, most * 0.9, most)),
    ...(least === undefined ? [] : isNear(least, least, least * 1.1)),
  ];
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

const SPANS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A span of time in its greatest unit: `5 minutes`, `1 day`. */
export function showSpan(ms: number): string {
  const [unit, length] = SPANS.find(([, each]) => ms >= each) ?? ['second', 1_000];
  const count = Math.floor(ms / length);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

/** Bytes for a person: `1.5 MiB`. */
export function showBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${round(bytes / 1024 ** power)} ${UNITS[power]}`;
}
