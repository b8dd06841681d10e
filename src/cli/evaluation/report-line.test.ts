import { expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import { reportLineSchema, toReportLine } from './report-line.js';

const usage = { seconds: 1, tokens: 2, cost: 0 };
const report = (more: Partial<Report> = {}): Report => ({
  verdict: 'root_cause_found',
  findings: [],
  unchecked: [],
  root_causes: [],
  counts: { critical: 0, warning: 0, info: 0 },
  ...more,
});
const cause = { node: 'db', title: 'db: locked', confidence: 0.8, evidence: [1], kind: 'lock' };
const lineOf = (more?: Partial<Report>, partial = false) =>
  toReportLine('i', { report: report(more), partial }, usage);

it('has the candidates of the ranking, with the kind and the change of the root cause', () => {
  const candidates = [
    { node: 'db', score: 0.9 },
    { node: 'web', score: 0.1 },
  ];
  const line = lineOf({
    root_causes: [{ ...cause, change: 'abc', basis: ['a', 'b'] }],
    candidates,
    headline: 'db is the root cause',
  } as Partial<Report>);
  expect(line).toMatchObject({
    healthy: false,
    ranked: [
      { node: 'db', score: 0.9, kind: 'lock', change: 'abc' },
      { node: 'web', score: 0.1 },
    ],
    text: 'db is the root cause\na\nb',
    confidence: 0.8,
    ...usage,
  });
  expect(reportLineSchema.parse(JSON.parse(JSON.stringify(line)))).toEqual(line);
});

it('has the root causes if nothing was ranked, and no change for none', () => {
  expect(lineOf({ root_causes: [cause] } as Partial<Report>).ranked).toEqual([
    { node: 'db', score: 0.8, kind: 'lock', change: 'none' },
  ]);
});

it('is healthy if nothing but information was found', () => {
  const finding = (severity: string) =>
    ({ findings: [{ node: 'db', severity, title: 't' }] }) as unknown as Partial<Report>;
  expect(lineOf({ verdict: 'healthy' }).healthy).toBe(true);
  expect(lineOf({ verdict: 'inconclusive' }).healthy).toBe(true);
  expect(lineOf({ verdict: 'inconclusive', ...finding('info') }).healthy).toBe(true);
  expect(lineOf({ verdict: 'inconclusive', ...finding('warning') }).healthy).toBe(false);
  expect(lineOf({ verdict: 'issues_found' }).healthy).toBe(false);
});

it('of a run that a limit has cut is no sign of health', () => {
  expect(lineOf({ verdict: 'inconclusive' }, true).healthy).toBe(false);
});

it('of a run without a report is no sign of health', () => {
  expect(toReportLine('i', { report: null, partial: false }, usage)).toMatchObject({
    healthy: false,
    ranked: [],
    verdict: 'failed',
  });
});

it('has at most 1,000 characters of text', () => {
  expect(lineOf({ headline: 'x'.repeat(5_000) }).text).toHaveLength(1_000);
});
