import { expect, it } from '@jest/globals';
import { reportOf } from '../../../test/support/outcomes.js';
import { compareReports } from './compare-reports.js';

const nodes = (...states: [string, 'healthy' | 'failed'][]) =>
  states.map(([node, state]) => ({ node, state }));
const healthy = reportOf({
  verdict: 'healthy',
  root_causes: [],
  findings: [],
  nodes: nodes(['db', 'healthy'], ['shop', 'healthy'], ['old', 'healthy']),
});
const broken = reportOf({ nodes: nodes(['db', 'failed'], ['shop', 'healthy']) });

it('tells what changed since a healthy run', () => {
  const changes = compareReports(healthy, broken);
  expect(changes).toMatchObject({
    changed: true,
    verdict: { before: 'healthy', after: 'root_cause_found' },
    rootCauses: { appeared: [{ node: 'db', title: 'connection refused' }], gone: [] },
    findings: { appeared: [{ node: 'db', severity: 'critical' }], gone: [] },
    nodes: [
      { node: 'db', before: 'healthy', after: 'failed' },
      { node: 'old', before: 'healthy', after: null },
    ],
  });
  expect(changes.summary).toEqual([
    'The verdict changed from healthy to root_cause_found.',
    'New root cause: db: connection refused.',
    'old was healthy and is absent.',
  ]);
  expect(compareReports(broken, healthy).rootCauses.gone).toHaveLength(1);
});

it('finds no change between equal reports, also if measured values in titles differ', () => {
  const slow = (title: string) =>
    reportOf({
      root_causes: [{ node: 'db', title, kind: 'timeout', confidence: 1, evidence: [1] }],
    });
  expect(compareReports(slow('took 900 ms'), slow('took 800 ms'))).toMatchObject({
    changed: false,
    summary: [],
  });
});
