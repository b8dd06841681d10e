import { describe, expect, it } from '@jest/globals';
import {
  ALL_WELL,
  claim,
  issue,
  measured,
  report,
  SHOP,
} from '../../../test/support/incidents/measured-shop.js';
import type { Measurement } from './measurement.js';
import { concludeRun } from './conclude-run.js';

describe('the report', () => {
  it('does not rank, count or judge a claim about a node that was not measured', () => {
    const all = [measured(5, 'api', [issue()]), measured(6, 'db')];
    const { report: made } = concludeRun(SHOP, all, [report([claim({ node: 'web' })])]);
    expect(made.findings.filter(({ node }) => node === 'web')).toMatchObject([
      { severity: 'info', origin: 'agent', title: 'is broken' },
    ]);
    const { counts, candidates, nodes, headline } = concludeRun(SHOP, all, []).report;
    expect(made).toMatchObject({ candidates, nodes, headline });
    expect(made.counts).toEqual({ ...counts, info: counts.info + 1 });
  });

  it('cites the results that say why a node is unchecked, and no others', () => {
    const silent = measured(4, 'web', [], { status: 'unavailable', summary: 'no answer' });
    const { report: made } = concludeRun(SHOP, [silent, ...ALL_WELL.slice(1)], []);
    expect(made.unchecked).toMatchObject([{ node: 'web', evidence: [4] }]);
    expect(made.citations).toEqual([
      {
        sequence: 4,
        tool: 'http_probe',
        node: 'web',
        status: 'unavailable',
        summary: 'no answer',
        at: silent.at,
      },
    ]);
    expect(concludeRun(SHOP, ALL_WELL, []).report.citations).toEqual([]);
  });

  it('bounds the words of an agent and of a result', () => {
    const top = { dispatchId: null, agentId: '1', summary: 'x'.repeat(5_000) };
    const long = measured(5, 'api', [issue()], { summary: 'y'.repeat(500) });
    const { report: made } = concludeRun(SHOP, [long], [report([], top)]);
    expect(made.narrative).toHaveLength(4_000);
    expect(made.citations[0]?.summary).toHaveLength(300);
  });

  it('quotes in its headline what was measured at a node, and not what an agent claims', () => {
    const slow = issue({ severity: 'warning', symptom: 'slow', title: 'answers in 900 ms' });
    const { headline } = concludeRun(
      SHOP,
      [measured(4, 'web', [slow]), measured(5, 'api', [issue()]), measured(6, 'db')],
      [report([claim({ node: 'web', title: 'pool exhausted', evidence: [4] })])],
    ).report;
    expect(headline).not.toContain('pool exhausted');
  });

  it('says in its headline that the run was cut', () => {
    const headlineOf = (all: Measurement[]) =>
      concludeRun(SHOP, all, [], { ended: 'cut' }).report.headline;
    expect(headlineOf([measured(5, 'api', [issue()])])).toBe(
      'The run ended before its conclusion. Issues were found at API: answers 500 Internal Server Error. WEB and DB were not checked.',
    );
    expect(headlineOf(ALL_WELL)).toBe('The run ended before its conclusion.');
  });

  it.each(['failed', 'partial'] as const)(
    'is inconclusive if an agent is %s, though every node was measured and is well',
    (status) => {
      const reports = [
        report([], { agentId: '2', dispatchId: 'd1', status, reasons: ['NOT_DONE'] }),
      ];
      const { report: made, incomplete, reasons } = concludeRun(SHOP, ALL_WELL, reports);
      expect(made).toMatchObject({ verdict: 'inconclusive', unchecked: [] });
      expect(made.headline).toBe(
        'Nothing wrong was measured, but not every agent could finish its work.',
      );
      expect({ incomplete, reasons }).toEqual({ incomplete: true, reasons: ['NOT_DONE'] });
    },
  );

  it('is degraded where only a warning was measured, and exact in every state', () => {
    const slow = issue({ symptom: 'slow', severity: 'warning', title: 'answers in 1400 ms' });
    const { report: made } = concludeRun(SHOP, [measured(4, 'web', [slow]), measured(6, 'db')], []);
    expect(made.nodes).toEqual([
      { node: 'web', state: 'degraded' },
      { node: 'api', state: 'unknown' },
      { node: 'db', state: 'healthy', reached_only: true },
    ]);
  });
});
