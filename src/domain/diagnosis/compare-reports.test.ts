import { describe, expect, it } from '@jest/globals';
import { reportOf } from '../../../test/support/incidents/outcomes.js';
import { compareReports } from './compare-reports.js';

const nodes = (...states: [string, 'healthy' | 'failed' | 'unknown'][]) =>
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

describe('of a node that one of two runs did not check', () => {
  const api = {
    node: 'api',
    severity: 'critical' as const,
    title: 'answers 503',
    detail: '',
    evidence: [20],
  };
  const full = reportOf({
    findings: [...reportOf().findings, api],
    nodes: nodes(['db', 'failed'], ['api', 'failed']),
    unchecked: [],
  });
  const partial = reportOf({
    nodes: nodes(['db', 'failed'], ['api', 'unknown']),
    unchecked: [{ node: 'api', reason: 'NOT_ASKED' }],
  });

  it('does not say that what the earlier one found is gone', () => {
    const { findings, summary } = compareReports(full, partial);
    expect(findings).toMatchObject({ appeared: [], gone: [], notChecked: [{ node: 'api' }] });
    expect(summary).toEqual(['Not checked by the later run: api: answers 503.']);
  });

  it('marks findings of the later one that the earlier one did not check', () => {
    const { findings, summary } = compareReports(partial, full);
    expect(findings.appeared).toMatchObject([{ node: 'api', notCheckedBefore: true }]);
    expect(summary).toEqual(['New finding: api: answers 503 (not checked before).']);
  });

  it('does not call a root cause gone either', () => {
    const elsewhere = reportOf({
      verdict: 'inconclusive',
      root_causes: [],
      findings: [],
      nodes: nodes(['db', 'unknown']),
      unchecked: [{ node: 'db', reason: 'SOURCE_UNAVAILABLE' }],
    });
    const { rootCauses, summary } = compareReports(broken, elsewhere);
    expect(rootCauses).toMatchObject({ gone: [], notChecked: [{ node: 'db' }] });
    expect(summary).toEqual([
      'The verdict changed from root_cause_found to inconclusive.',
      'Not checked by the later run: db: connection refused.',
      'shop was healthy and is absent.',
    ]);
  });

  it('knows it also of older reports, which have no states', () => {
    const { nodes: _nodes, ...older } = partial;
    expect(compareReports(full, older).findings.gone).toEqual([]);
  });
});
