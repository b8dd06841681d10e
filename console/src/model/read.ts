import type { Issue } from './types.js';

/**
 * Readers of JSON that another service may have written: what has not the expected shape is read as
 * absent.
 */

export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const textOf = (value: unknown, absent = ''): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : absent;

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const textsOf = (value: unknown): string[] =>
  listOf(value).filter((item): item is string => typeof item === 'string');

/** What a diagnostic tool found. */
export interface ToolFindings {
  status: 'ok' | 'degraded' | 'failed' | undefined;
  summary: string;
  error: string;
  issues: Issue[];
  measurements: Fields;
  node: string | undefined;
}

export function toolFindingsOf(result: unknown): ToolFindings {
  const fields = fieldsOf(result);
  const { status, node } = fields;
  return {
    status: status === 'ok' || status === 'degraded' || status === 'failed' ? status : undefined,
    summary: textOf(fields['summary']),
    error: textOf(fields['error']),
    issues: listOf(fields['issues']).map(issueOf),
    measurements: fieldsOf(fields['measurements']),
    node: typeof node === 'string' ? node : undefined,
  };
}

function issueOf(value: unknown): Issue {
  const { severity, title, detail, symptom } = fieldsOf(value);
  return {
    severity: severity === 'critical' || severity === 'warning' ? severity : 'info',
    title: textOf(title),
    detail: textOf(detail),
    ...(typeof symptom === 'string' && { symptom }),
  };
}
