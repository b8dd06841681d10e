import { expect, it } from '@jest/globals';
import type { Report } from '../client/index.js';
import { boundReport } from './run-result.js';

const report = (findings: number) =>
  ({
    verdict: 'issues_found',
    root_causes: [],
    findings: Array.from({ length: findings }, (_, index) => ({
      node: `node-${index}`,
      severity: 'warning',
      title: 'slow',
      detail: 'x'.repeat(100),
      evidence: [index + 1],
    })),
    unchecked: [],
    counts: { critical: 0, warning: findings, info: 0 },
  }) as unknown as Report;

it('keeps a small report unchanged', () => {
  expect(boundReport(report(3), 32_000)).toEqual(report(3));
});

it('shortens the longest list of a large report and says so', () => {
  const bounded = boundReport(report(2_000), 32_000);
  expect(JSON.stringify(bounded).length).toBeLessThanOrEqual(32_000);
  expect(bounded).toMatchObject({ verdict: 'issues_found', truncated: true });
  expect(bounded.findings?.length).toBeGreaterThan(50);
  expect(bounded.findings?.[0]?.node).toBe('node-0');
});

it('returns verdict and counts if nothing else fits', () => {
  expect(boundReport(report(1), 10)).toEqual({
    verdict: 'issues_found',
    counts: { critical: 0, warning: 1, info: 0 },
  });
});
