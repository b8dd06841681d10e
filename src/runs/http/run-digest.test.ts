import { expect, it } from '@jest/globals';
import type { Report } from '../../domain/diagnosis/finding.js';
import type { RunEvent } from '../../domain/events/event.js';
import { digestOf, headlineSoFar } from './run-digest.js';

const report: Report = {
  verdict: 'root_cause_found',
  root_causes: [{ node: 'db', title: 'Disk is full', confidence: 0.9, evidence: [4] }],
  findings: [
    { node: 'api', severity: 'warning', title: 'Answers late', detail: '', evidence: [3] },
    { node: 'db', severity: 'critical', title: 'Disk is full', detail: '', evidence: [4] },
  ],
  unchecked: [],
  counts: { critical: 1, warning: 1, info: 0 },
};
const event = (data: object) => ({ data }) as RunEvent;

it('is empty for a run that has not ended', () => {
  expect(digestOf(undefined)).toEqual({
    verdict: null,
    headline: null,
    counts: null,
    partial: false,
    reasons: [],
    error: null,
  });
});

it('takes verdict, counts and headline from the report', () => {
  const completed = event({
    summary: 'Found 1 critical issue.',
    report: { ...report, headline: 'db: disk is full' },
    partial: true,
    reasons: ['AGENT_FAILED'],
  });
  expect(digestOf(completed)).toMatchObject({
    verdict: 'root_cause_found',
    headline: 'db: disk is full',
    counts: { critical: 1, warning: 1 },
    partial: true,
    reasons: ['AGENT_FAILED'],
  });
});

it('uses the first root cause, then the worst finding, of a report without a headline', () => {
  expect(digestOf(event({ report })).headline).toBe('Disk is full');
  expect(digestOf(event({ report: { ...report, root_causes: [] } })).headline).toBe('Disk is full');
  expect(digestOf(event({ report: { ...report, root_causes: [], findings: [] } })).headline).toBe(
    null,
  );
});

it('has the error of a failed run and the beginning of an answer', () => {
  expect(digestOf(event({ error: 'Too late', code: 'DEADLINE', report: null }))).toMatchObject({
    error: { code: 'DEADLINE', message: 'Too late' },
    verdict: null,
  });
  expect(digestOf(event({ summary: 'x'.repeat(1_000), report: null })).headline).toHaveLength(300);
});

it('names the worst finding of an open run', () => {
  const reports = [event({ task: 'look' }), event({ findings: report.findings })];
  const nameOf = (node: string) => node.toUpperCase();
  expect(headlineSoFar(reports, nameOf)).toBe('DB: Disk is full');
  expect(headlineSoFar([], nameOf)).toBeNull();
});
