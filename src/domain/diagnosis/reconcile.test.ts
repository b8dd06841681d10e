import { describe, expect, it } from '@jest/globals';
import {
  claim,
  issue,
  measured,
  report,
  SHOP,
} from '../../../test/support/incidents/measured-shop.js';
import type { AgentReport } from './agent-report.js';
import { currentMeasurements } from './current-measurements.js';
import type { Measurement } from './measurement.js';
import { asInformation, reconcile } from './reconcile.js';

const reconciled = (all: Measurement[], ...reports: AgentReport[]) =>
  reconcile(SHOP, { all, current: currentMeasurements(all) }, reports);
const FAILING = measured(5, 'api', [issue()]);

describe('C6: claims and measurements', () => {
  it('a claim of a failure that was measured is its explanation, each once', () => {
    const words = claim({ title: 'its pool is empty', detail: 'See the body.' });
    const { findings, unreported } = reconciled([FAILING], report([words, words]));
    expect(findings).toMatchObject([{ explanation: 'its pool is empty. See the body.' }]);
    expect(unreported).toEqual([]);
  });

  it.each(['critical', 'warning'] as const)(
    'a claim that is %s is dropped if all that it cites was measured healthy',
    (severity) => {
      const { findings, dropped } = reconciled(
        [measured(5, 'api')],
        report([claim({ severity, title: 'is broken' })]),
      );
      expect(findings).toEqual([]);
      expect(dropped).toMatchObject([{ node: 'api', why: expect.stringContaining('healthy') }]);
    },
  );

  it('a claim of another kind of failure on the same evidence explains what was measured', () => {
    const both = measured(5, 'api', [issue(), issue({ symptom: 'slow', title: 'answers late' })]);
    const { findings } = reconciled([both], report([claim({ symptom: 'slow', title: 'hangs' })]));
    expect(findings.map(({ title, explanation }) => [title, explanation])).toEqual([
      ['answers 500 Internal Server Error', undefined],
      ['answers late', 'hangs.'],
    ]);
  });

  it('what a busy prober measured of times is measured, and no claim of an agent', () => {
    const title = 'answers in 1400 ms, slower than 1000 ms';
    const slow = issue({ severity: 'info', symptom: 'slow', title, duration_ms: 1_400 });
    const busy = measured(5, 'api', [slow], { unreliable: true });
    const said = report([claim({ severity: 'info', symptom: 'slow', title, evidence: [5] })]);
    const { findings, unreported } = reconciled([busy], said);
    expect(findings).toMatchObject([
      {
        node: 'api',
        severity: 'info',
        symptom: 'advisory',
        origin: 'measured',
        title: `not measured reliably: ${title}`,
        evidence: [5],
      },
    ]);
    expect(unreported).toEqual([]);
    // Another agent passes it on.
    expect(reconciled([busy], report(findings)).findings).toEqual(findings);
    // It is no finding by itself, no failure, and of no account behind a look that was reliable.
    const told = report([claim({ symptom: 'slow', title, evidence: [5] })]);
    expect(reconciled([busy]).findings).toEqual([]);
    expect(reconciled([busy], told).findings).toEqual([]);
    expect(reconciled([busy, measured(6, 'api')], report(findings)).findings).toEqual([]);
  });

  it('a claim that two agents make is kept once, one that no measurement supports is dropped once', () => {
    const about = (title: string, evidence: number[]) => claim({ node: 'web', title, evidence });
    const { claims, dropped } = reconciled(
      [measured(4, 'web'), FAILING],
      report([about('suffers', [5]), about('moon', [99])]),
      report([about('Suffers', [5]), about('moon', [99])], { dispatchId: 'd1_3' }),
    );
    expect(claims).toHaveLength(1);
    expect(dropped).toHaveLength(1);
  });

  it.each(['critical', 'warning'] as const)(
    'a %s claim as a finding is information',
    (severity) => {
      const about = claim({ node: 'web', severity, title: 'is broken', evidence: [5] });
      const { findings, claims } = reconciled([FAILING], report([about]));
      expect(findings.map(({ node }) => node)).toEqual(['api']);
      expect(claims.map(asInformation)).toMatchObject([
        {
          node: 'web',
          severity: 'info',
          symptom: 'advisory',
          title: 'is broken',
          origin: 'agent',
          evidence: [5],
          detail: `An agent claims this as ${severity}; no measurement of the node itself shows it.`,
        },
      ]);
    },
  );

  it('a claim keeps only the evidence that is about its node or a direct neighbour', () => {
    const all = [measured(4, 'web'), FAILING, measured(6, 'db')];
    const about = claim({ node: 'web', evidence: [6, 5, 99, 5, 4] });
    const { claims } = reconciled(all, report([about]));
    expect(claims).toMatchObject([{ node: 'web', evidence: [4, 5] }]);
  });

  it('a copy of a measured finding that was not measured is no claim, and none is dropped', () => {
    const copy = claim({ node: 'web', origin: 'measured', title: 'is gone', evidence: [5] });
    const { findings, dropped } = reconciled([FAILING], report([copy]));
    expect(findings.map(({ node }) => node)).toEqual(['api']);
    expect(dropped).toEqual([]);
  });

  it('a claim that cites a failure which a later measurement shows again explains it', () => {
    const again = measured(8, 'api', [issue()], { tries: 3 });
    const { findings, claims, dropped } = reconciled(
      [FAILING, again],
      report([claim({ title: 'its pool is empty' })]),
    );
    expect(findings).toMatchObject([{ evidence: [8], explanation: 'its pool is empty.' }]);
    expect([claims, dropped]).toEqual([[], []]);
  });

  it('a claim that cites only what a later measurement overruled is dropped', () => {
    const { dropped } = reconciled([FAILING, measured(8, 'api')], report([claim()]));
    expect(dropped).toMatchObject([{ node: 'api', why: expect.stringContaining('overruled') }]);
  });

  it('what a later measurement took back is no finding beside one of the same symptom', () => {
    const took = (subject: string, over: Partial<Measurement>) =>
      measured(over.sequence ?? 5, 'api', [issue()], { subject, ...over });
    const back = [took('/a', {}), took('/a', { sequence: 8, issues: [], status: 'ok' })];
    const titles = (all: Measurement[]) => reconciled(all).findings.map(({ title }) => title);
    expect(titles(back)).toEqual([`seen once, not the last time: ${issue().title}`]);
    expect(titles([...back, took('/b', { sequence: 9 })])).toEqual([issue().title]);
  });

  it('a measured information need not be reported', () => {
    const hint = measured(5, 'api', [issue({ severity: 'info', symptom: 'advisory' })]);
    const { findings, unreported } = reconciled([hint], report([]));
    expect(findings).toMatchObject([{ severity: 'info', origin: 'measured' }]);
    expect(unreported).toEqual([]);
  });

  it('no more than 200 claims are kept', () => {
    const many = Array.from({ length: 300 }, (_, i) => claim({ node: 'web', title: `no ${i}` }));
    const { claims } = reconciled([FAILING], report(many));
    expect(claims).toHaveLength(200);
  });

  it('a dismissal keeps the finding, and quotes each reason once', () => {
    const dismissed = [{ sequence: 5, reason: 'planned' }];
    const { findings, unreported } = reconciled(
      [FAILING],
      report([], { dismissed: [...dismissed, ...dismissed] }),
    );
    expect(findings[0]?.detail).toBe(
      '3 of 3 tries failed. An agent asks to disregard this: "planned".',
    );
    expect(unreported).toEqual([]);
  });

  it('an explanation is bounded', () => {
    const long = claim({ title: 'x'.repeat(5_000) });
    const [finding] = reconciled([FAILING], report([long])).findings;
    expect(finding?.explanation?.length).toBeLessThanOrEqual(600);
  });

  it('names a stranger only in part', () => {
    const { dropped } = reconciled([FAILING], report([claim({ node: 'm'.repeat(500) })]));
    expect(dropped[0]?.why.length).toBeLessThan(130);
  });
});
