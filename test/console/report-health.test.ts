import { describe, expect, it } from '@jest/globals';
import { reportHealth, reportWhy } from '../../console/src/model/report-health.js';
import type { Report } from '../../src/domain/diagnosis/finding.js';

const finding = (node: string, severity: 'info' | 'warning' | 'critical', title: string) => ({
  node,
  severity,
  title,
  detail: '',
  evidence: [3],
});
const report: Report = {
  verdict: 'root_cause_found',
  root_causes: [{ node: 'db', title: 'Database: full', confidence: 0.9, evidence: [3] }],
  findings: [finding('db', 'critical', 'full'), finding('web', 'info', 'more errors than usual')],
  unchecked: [{ node: 'dns', reason: 'DEADLINE' }],
  counts: { critical: 1, warning: 0, info: 1 },
};
const nodes: Report['nodes'] = [
  { node: 'db', state: 'failed' },
  { node: 'web', state: 'downstream' },
  { node: 'api', state: 'failed' },
  { node: 'queue', state: 'degraded' },
  { node: 'mail', state: 'healthy' },
  { node: 'dns', state: 'unknown' },
];

describe('the health of a node in a report', () => {
  it('is not healthy if it is affected by another one', () => {
    expect(reportHealth({ ...report, nodes }, 'web')).toBe('warning');
    expect(reportWhy({ ...report, nodes }, 'web')).toBe('affected by a dependency');
  });

  it.each([
    ['db', 'root'],
    ['api', 'critical'],
    ['queue', 'warning'],
    ['mail', 'ok'],
    ['dns', 'unchecked'],
  ])('of %s is %s by its state', (node, health) =>
    expect(reportHealth({ ...report, nodes }, node)).toBe(health),
  );

  it('is read from findings and unchecked nodes in older reports', () => {
    const health = ['db', 'web', 'dns', 'mail'].map((node) => reportHealth(report, node));
    expect(health).toEqual(['root', 'ok', 'unchecked', 'ok']);
    expect(reportHealth(null, 'db')).toBe('unknown');
  });

  it('is never better than its findings', () => {
    const found = { ...report, nodes, findings: [finding('mail', 'warning', 'slow')] };
    expect(reportHealth(found, 'mail')).toBe('warning');
    expect(reportWhy(found, 'mail')).toBe('slow');
  });
});
