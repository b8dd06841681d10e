import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  anyMeasurement,
  ids,
  measurements,
  rankings,
  reports,
} from '../../../test/support/generators/any-diagnosis.js';
import { measured, SHOP } from '../../../test/support/incidents/measured-shop.js';
import { concludeRun } from './conclude-run.js';
import { isFailure } from './finding.js';
import { issuesOf } from './issues/issues-of.js';
import { isMeasured, type Measurement } from './measurement.js';

describe('whatever agents and tools say', () => {
  it('no report can remove a measured failure, or change the root causes', () => {
    fc.assert(
      fc.property(measurements, reports, (all, told) => {
        const { report: made } = concludeRun(SHOP, all, told);
        const without = concludeRun(SHOP, all, []).report;
        const seen = (of: typeof made) =>
          of.findings
            .filter((f) => f.origin === 'measured')
            // What a busy prober measured of times is no finding by itself, and information if an
            // agent reports it.
            .filter(
              (f) => !(f.severity === 'info' && f.title.startsWith('not measured reliably: ')),
            )
            .map(({ node: id, severity, title, evidence }) => ({ id, severity, title, evidence }));
        const causes = (of: typeof made) =>
          of.root_causes.map(({ node: id, evidence, chain }) =>
            JSON.stringify({ id, evidence, chain }),
          );
        expect(seen(made)).toEqual(seen(without));
        expect(causes(made).toSorted()).toEqual(causes(without).toSorted());
        if (without.verdict === 'root_cause_found') expect(made.verdict).toBe(without.verdict);
      }),
      { numRuns: 100 },
    );
  });

  it('no word of a report changes the verdict, a root cause, a suspect, a count or the state of a node', () => {
    fc.assert(
      fc.property(measurements, rankings, reports, (some, ranked, told) => {
        const all = [...some, ...ranked];
        // What an agent did is known to the service: only its words are its own.
        const silent = told.map((each) => ({ ...each, summary: '', findings: [], dismissed: [] }));
        const decided = (by: typeof told) => {
          const { verdict, headline, impact, root_causes, candidates, nodes, unchecked, counts } =
            concludeRun(SHOP, all, by).report;
          const { critical, warning } = counts;
          return {
            verdict,
            headline,
            impact,
            root_causes,
            candidates,
            nodes,
            critical,
            warning,
            // Why an agent failed is in its own words.
            unchecked: unchecked.map(({ node, reason }) => ({ node, reason })),
          };
        };
        expect(decided(told)).toEqual(decided(silent));
      }),
      { numRuns: 200 },
    );
  });

  it('nothing is healthy of which telemetry could not be read', () => {
    const gaps = fc.array(
      fc.record({
        telemetry: fc.constantFrom('logs', 'metrics', 'traces', 'kubernetes'),
        reason: fc.constant('refused'),
        forbidden: fc.boolean(),
        nodes: fc.subarray(ids, { minLength: 1 }),
      }),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(measurements, reports, gaps, (all, told, unread) => {
        const ranking = { causes: [], rejected: [], gaps: unread };
        const ranked = { ...measured(99, 'web'), measures: 'system' as const, ranking };
        const { report: made } = concludeRun(SHOP, [...all, ranked], told);
        expect(made.verdict).not.toBe('healthy');
        for (const id of unread.flatMap(({ nodes }) => nodes)) {
          const state = made.nodes.find(({ node }) => node === id)?.state;
          expect(state).not.toBe('healthy');
        }
      }),
      { numRuns: 100 },
    );
  });

  it('a measurement that shows a node healthy makes no verdict more confident in that node', () => {
    fc.assert(
      fc.property(
        measurements,
        rankings,
        anyMeasurement,
        fc.integer({ min: 1, max: 30 }),
        (all, ranked, { took: _, hidden, ...more }, at) => {
          const healthy = measured(at * 2 + 1, more.node, [], {
            ...more,
            issues: [],
            ...(hidden !== undefined && { hidden }),
          });
          const confidenceOf = (some: Measurement[]) =>
            concludeRun(SHOP, [...some, ...ranked], []).report.root_causes.find(
              (cause) => cause.node === more.node,
            )?.confidence ?? 0;
          const spread = all.map((each) => ({ ...each, sequence: each.sequence * 2 }));
          expect(confidenceOf([...spread, healthy])).toBeLessThanOrEqual(confidenceOf(spread));
        },
      ),
      { numRuns: 250 },
    );
  });

  it('a call that was refused or failed is no evidence, and no node that is unhealthy is unchecked', () => {
    const answered = fc.constantFrom('ok' as const, 'unavailable' as const, 'denied' as const);
    fc.assert(
      fc.property(
        measurements,
        rankings,
        reports,
        fc.infiniteStream(answered),
        (some, ranked, told, status) => {
          const tried = some.map((each) => {
            const ended = status.next().value as Measurement['status'];
            return ended === 'ok' ? each : { ...each, status: ended };
          });
          const all = [...tried, ...ranked];
          const { report: made } = concludeRun(SHOP, all, told);
          const answers = new Set(all.filter(isMeasured).map(({ sequence }) => sequence));
          for (const { evidence } of [...made.root_causes, ...made.findings])
            for (const sequence of evidence) expect(answers).toContain(sequence);
          const open = new Set(made.unchecked.map(({ node }) => node));
          const unhealthy = made.findings.filter((f) => f.origin === 'measured' && isFailure(f));
          for (const { node } of [...made.root_causes, ...unhealthy])
            expect(open).not.toContain(node);
        },
      ),
      { numRuns: 250 },
    );
  });

  it('the order of measurements and reports does not matter', () => {
    fc.assert(
      fc.property(measurements, reports, (all, told) => {
        const unique = [...new Map(told.map((each) => [each.dispatchId, each])).values()];
        expect(concludeRun(SHOP, all.toReversed(), unique.toReversed())).toEqual(
          concludeRun(SHOP, all, unique),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('tools that run at once and end in another order give the same report', () => {
    const keyOf = (each: Measurement) => [each.node, each.tool, each.subject].join(' ');
    /** A report with what it cites by node and tool in place of sequence numbers. */
    const byTool = (all: readonly Measurement[]) => {
      const names = new Map(all.map((each) => [each.sequence, keyOf(each)]));
      const { citations: _, ...report } = concludeRun(SHOP, all, []).report;
      return JSON.parse(
        JSON.stringify(report, (key, value: unknown) =>
          key === 'evidence' && Array.isArray(value)
            ? value.map((sequence) => names.get(sequence as number)).sort()
            : value,
        ),
      ) as unknown;
    };
    const anyStatuses = fc.infiniteStream(
      fc.constantFrom<Partial<Measurement>>(
        {},
        { status: 'denied' },
        { status: 'unavailable' },
        { status: 'unavailable', code: 'NOT_RECORDED' },
        { status: 'unavailable', code: 'FORBIDDEN' },
      ),
    );
    fc.assert(
      fc.property(measurements, fc.infiniteStream(fc.nat()), anyStatuses, (some, order, status) => {
        const all = [...new Map(some.map((each) => [keyOf(each), each])).values()].map((each) => ({
          ...each,
          ...(status.next().value as Partial<Measurement>),
          summary: `${keyOf(each)} ended`,
        }));
        const moved = all
          .map((each) => ({ each, at: order.next().value as number }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ each }, i) => ({ ...each, sequence: all[i]?.sequence ?? 0 }));
        expect(byTool(moved)).toEqual(byTool(all));
      }),
      { numRuns: 250 },
    );
  });

  it('what a target says about itself changes neither the root causes nor how certain they are', () => {
    const words = fc.oneof(
      fc.constantFrom('within 9000 ms', 'took 9000 ms', 'connection refused', '502', 'is full'),
      fc.string(),
    );
    const titles = {
      health: (text: string) => `answers 200, but says it is DOWN: ${text}`,
      metric: (text: string) => `jobs{name="${text}"} is 9`,
      log: (text: string) => `new error in its logs: ${text}`,
    };
    const carrier = fc.constantFrom(...(Object.keys(titles) as (keyof typeof titles)[]));
    const saying = (by: keyof typeof titles, took: number, text: string) => ({
      status: 'failed',
      measurements: { latency_ms: { median: took } },
      issues: [
        {
          severity: 'critical',
          symptom: 'erroring',
          title: titles[by](text),
          detail: `3 of 3 tries failed. It said: "${text}".`,
        },
      ],
    });
    fc.assert(
      fc.property(measurements, carrier, fc.constantFrom(3, 600), words, (all, by, took, text) => {
        const causesOf = (said: string) =>
          concludeRun(
            SHOP,
            [...all, measured(40, 'api', issuesOf(saying(by, took, said)))],
            [],
          ).report.root_causes.map(({ node, confidence }) => ({ node, confidence }));
        expect(causesOf(text)).toEqual(causesOf('nothing'));
      }),
      { numRuns: 400 },
    );
  });

  it('every claim that it makes is cited, every root cause is a finding, and every node has a state', () => {
    fc.assert(
      fc.property(measurements, rankings, reports, (some, ranked, told) => {
        const { report: made } = concludeRun(SHOP, [...some, ...ranked], told);
        const serious = made.findings.filter(({ severity }) => severity !== 'info');
        for (const { node } of made.root_causes)
          expect(serious).toContainEqual(expect.objectContaining({ node, origin: 'measured' }));
        if (made.verdict === 'healthy') {
          expect([made.unchecked, serious]).toEqual([[], []]);
          expect(new Set(made.nodes.map(({ state }) => state))).toEqual(new Set(['healthy']));
        }
        const { critical, warning, info } = made.counts;
        expect([critical + warning, info]).toEqual([
          serious.length,
          made.findings.length - serious.length,
        ]);
        const cited = new Set(made.citations.map(({ sequence }) => sequence));
        for (const { evidence } of [...made.root_causes, ...made.findings])
          for (const sequence of evidence) expect(cited.has(sequence)).toBe(true);
        expect(made.nodes.map((each) => each.node)).toEqual(ids);
        expect(made.candidates.slice(0, made.root_causes.length).map((each) => each.node)).toEqual(
          made.root_causes.map((cause) => cause.node),
        );
      }),
    );
  });
});
