import { describe, expect, it } from '@jest/globals';
import type { RunEvent } from '../events/event.js';
import type { Finding } from './finding.js';
import {
  countFindings,
  countsSentence,
  foldReports,
  makeReport,
  mergeFindings,
  partialReport,
  verdictOf,
} from './report.js';
import type { Topology } from '../topology/topology.js';

const finding = (
  node: string,
  title: string,
  evidence: number[],
  severity: Finding['severity'] = 'critical',
  detail = '',
): Finding => ({
  node,
  title,
  evidence,
  severity,
  detail,
});

const TOPOLOGY: Topology = {
  id: 1,
  name: 'Shop',
  nodes: ['web', 'db', 'queue'].map((id) => ({
    id,
    name: id,
    kind: 'tcp',
    dependsOn: [],
    attributes: {},
  })),
  globalSupervisor: { agentId: '1', name: 'Top' },
  teams: [
    {
      name: 'All',
      nodes: ['web', 'db', 'queue'],
      supervisor: { agentId: '2', name: 'Lead' },
      workers: [
        { agentId: '3', name: 'Web', node: 'web', tools: [] },
        { agentId: '4', name: 'Db', node: 'db', tools: [] },
      ],
    },
  ],
};

let sequence = 0;
const event = (action: string, data: object): RunEvent =>
  ({
    run_id: 'r',
    timestamp: '',
    sequence: ++sequence,
    source: null,
    event: { category: 'dispatch', action },
    data,
  }) as RunEvent;
const sent = (id: string, agent: string) =>
  event('worker', { dispatch_id: id, agent_id: agent, worker_name: agent, task: 't' });
const told = (id: string, status: string, findings: Finding[] = [], reasons: string[] = []) =>
  event('report', { dispatch_id: id, status, reasons, summary: `${id} says ${status}`, findings });

describe('mergeFindings', () => {
  it('replaces a finding by its restatement: same node and title', () => {
    const merged = mergeFindings(
      [finding('db', 'is full', [4])],
      [finding('db', 'is full', [4], 'critical', 'more')],
    );
    expect(merged).toEqual([finding('db', 'is full', [4], 'critical', 'more')]);
  });

  it('takes other words over the same evidence for a restatement, when it can only mean one', () => {
    expect(
      mergeFindings([finding('db', 'is full', [4])], [finding('db', 'memory used up', [4])]),
    ).toHaveLength(1);
    const two = [finding('db', 'is full', [4]), finding('db', 'is slow', [4])];
    expect(mergeFindings(two, [finding('db', 'memory used up', [4])])).toHaveLength(3);
  });

  it('puts the worst first', () => {
    const merged = mergeFindings(
      [finding('a', 'x', [1], 'info'), finding('b', 'y', [2], 'warning')],
      [finding('c', 'z', [3])],
    );
    expect(merged.map((f) => f.severity)).toEqual(['critical', 'warning', 'info']);
  });
});

describe('foldReports', () => {
  it('counts a node as checked when its worker has reported ok, or found something', () => {
    const fold = foldReports(TOPOLOGY, [
      sent('d1_1', '3'),
      sent('d1_2', '4'),
      told('d1_1', 'ok'),
      told('d1_2', 'partial', [finding('db', 'x', [9])], ['LIMIT_REACHED']),
    ]);
    expect(fold.unchecked).toEqual([{ node: 'queue', reason: 'no worker looks after it' }]);
    expect(fold.incomplete).toBe(true);
    expect(fold.reasons).toEqual(['LIMIT_REACHED']);
  });

  it('says why a node is unchecked', () => {
    const reasonOf = (events: RunEvent[]) =>
      foldReports(TOPOLOGY, events).unchecked.find(({ node }) => node === 'web')?.reason;
    expect(reasonOf([])).toBe('no worker was sent to it');
    expect(reasonOf([sent('d1_1', '3')])).toBe('its worker has not reported');
    expect(reasonOf([sent('d1_1', '3'), told('d1_1', 'failed')])).toBe('d1_1 says failed');
  });

  it('lets a worker that was sent twice count by its last report', () => {
    const fold = foldReports(TOPOLOGY, [
      sent('d1_1', '3'),
      told('d1_1', 'failed', [], ['X']),
      sent('d1_3', '3'),
      told('d1_3', 'ok'),
    ]);
    expect(fold.unchecked.map(({ node }) => node)).not.toContain('web');
    expect(fold.incomplete).toBe(false);
    expect(fold.reasons).toEqual([]);
  });
});

describe('the verdict', () => {
  const cause = { node: 'db', title: 'x', confidence: 1, evidence: [1] };
  it.each([
    ['root_cause_found', [cause], [], [], true],
    ['issues_found', [], [finding('a', 'x', [1], 'warning')], [], true],
    ['inconclusive', [], [], [], true],
    ['inconclusive', [], [finding('a', 'x', [1], 'info')], [{ node: 'a', reason: '' }], false],
    ['healthy', [], [finding('a', 'x', [1], 'info')], [], false],
  ] as const)('is %s', (verdict, causes, findings, unchecked, incomplete) => {
    expect(verdictOf(causes, findings, unchecked, incomplete)).toBe(verdict);
  });
});

describe('makeReport', () => {
  it('makes a finding of a root cause that nobody has found', () => {
    const fold = {
      findings: [],
      unchecked: [{ node: 'db', reason: 'x' }],
      incomplete: false,
      reasons: [],
    };
    const report = makeReport(
      fold,
      [{ node: 'db', title: 'is gone', confidence: 0.5, evidence: [7] }],
      [],
    );
    expect(report.findings).toMatchObject([
      { node: 'db', severity: 'critical', title: 'is gone', evidence: [7] },
    ]);
    expect(report.counts).toEqual({ critical: 1, warning: 0, info: 0 });
    expect(report.unchecked).toEqual([]);
  });
});

describe('partialReport', () => {
  it('folds what was reported so far, without root causes', () => {
    const report = partialReport(TOPOLOGY, [
      sent('d1_1', '3'),
      told('d1_1', 'ok', [finding('web', 'x', [3])]),
    ]);
    expect(report).toMatchObject({
      verdict: 'issues_found',
      root_causes: [],
      counts: { critical: 1 },
    });
    expect(partialReport(TOPOLOGY, []).verdict).toBe('inconclusive');
  });
});

it('ends every summary in the counts, in the words of the contract', () => {
  expect(countsSentence({ critical: 0, warning: 2, info: 5 })).toBe(
    'Found 2 warnings, 0 critical issues.',
  );
  expect(countsSentence({ critical: 1, warning: 1, info: 0 })).toBe(
    'Found 1 warning, 1 critical issue.',
  );
  expect(countFindings([finding('a', 'x', [1], 'info')])).toEqual({
    critical: 0,
    warning: 0,
    info: 1,
  });
});
