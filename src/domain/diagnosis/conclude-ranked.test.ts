import { describe, expect, it } from '@jest/globals';
import {
  claim,
  issue,
  measured,
  report,
  SHOP,
} from '../../../test/support/incidents/measured-shop.js';
import { concludeRun } from './conclude-run.js';
import type { Topology } from '../topology/topology.js';
import { currentMeasurements } from './current-measurements.js';
import type { MeasuredRanking } from './measured-ranking.js';
import type { Measurement } from './measurement.js';
import { reconcile } from './reconcile.js';

type Cause = MeasuredRanking['causes'][number];
const ranking = (...causes: (Partial<Cause> & { node: string })[]) =>
  measured(50, 'web', [], {
    tool: 'rank_root_causes',
    ranking: {
      causes: causes.map((cause) => ({
        kind: 'timeout',
        title: 'errors rise',
        score: 1,
        confidence: 0.9,
        for: ['its errors are new'],
        against: [],
        ...cause,
      })),
      rejected: [],
    },
  });
const conclude = (all: Measurement[], topology: Topology = SHOP) =>
  concludeRun(topology, all, []).report;

describe('the root cause of a ranking', () => {
  it('is named and as sure as what was measured at it, where both show the same', () => {
    const refuses = issue({ symptom: 'unreachable', kind: 'unreachable', title: 'refuses' });
    const probe = measured(5, 'db', [refuses], { measures: 'service' });
    const heard = {
      node: 'db',
      kind: 'unreachable',
      title: 'web names it in an error: …',
    } as const;
    const [alone] = conclude([probe]).root_causes;
    const [joined] = conclude([probe, ranking({ ...heard, confidence: 0.5 })]).root_causes;
    expect(joined).toMatchObject({ kind: 'unreachable', title: alone?.title });
    expect(joined?.confidence).toBeGreaterThanOrEqual(alone?.confidence ?? 1);
    expect(joined?.basis?.join()).toContain('its errors are new');
  });

  it('leaves the other suspects as far behind where a doubt makes it less certain', () => {
    const suspects = ranking({ node: 'api', score: 4 }, { node: 'web', score: 3 });
    const scoresOf = (...all: Measurement[]) =>
      conclude([...all, suspects]).candidates.map(({ node, score }) => [node, score]);
    const well = measured(6, 'db', [], { measures: 'service' });
    expect(scoresOf(well).slice(0, 2)).toEqual([
      ['api', 0.9],
      ['web', 0.675],
    ]);
    expect(scoresOf().slice(0, 2)).toEqual([
      ['api', 0.6],
      ['web', 0.45],
    ]);
  });

  it('is less certain where a dependency is not excluded, and names it', () => {
    const causeWith = (...all: Measurement[]) =>
      conclude([...all, ranking({ node: 'api' })]).root_causes[0];
    const well = causeWith(measured(6, 'db', [], { measures: 'service' }));
    expect(well).toMatchObject({ node: 'api', confidence: 0.9 });
    expect(well).not.toHaveProperty('not_excluded');
    expect(causeWith(measured(6, 'db'))).toMatchObject({
      confidence: 0.78,
      not_excluded: [
        { node: 'db', reason: expect.stringContaining('only measured that it answers') },
      ],
    });
    expect(causeWith(measured(5, 'api', [issue()]), measured(6, 'db'))).toMatchObject({
      confidence: 0.78,
      not_excluded: [{ node: 'db' }],
    });
    expect(causeWith()).toMatchObject({ confidence: 0.6, not_excluded: [{ node: 'db' }] });
  });

  it('is as certain where its ranking has read the telemetry of a dependency that no worker was sent to', () => {
    const sources = [{ id: 'p', kind: 'prometheus' as const, provides: ['metrics' as const] }];
    const [cause] = conclude([ranking({ node: 'api' })], { ...SHOP, sources }).root_causes;
    expect(cause).toMatchObject({ node: 'api', confidence: 0.9 });
  });

  it('is not promoted by a measurement that shows it healthy', () => {
    const before = [
      measured(5, 'api', [issue()]),
      measured(6, 'db', [issue({ symptom: 'unreachable' })]),
      ranking({ node: 'api', confidence: 0.7 }),
    ];
    for (const all of [before, [...before, measured(60, 'api')]])
      expect(conclude(all).root_causes.map(({ node }) => node)).toEqual(['db']);
  });

  it('and another root cause do not affect each other', () => {
    const onset = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
    const made = conclude([
      measured(4, 'web', [issue()]),
      measured(5, 'api', [issue()]),
      measured(6, 'db', [issue({ symptom: 'saturated', kind: 'disk-full', title: 'is full' })]),
      ranking({ node: 'api', change: 'abc', onset: onset(1) }, { node: 'db', onset: onset(2) }),
    ]);
    expect(made.root_causes.map(({ node, explains }) => [node, explains])).toEqual([
      ['api', undefined],
      ['db', ['web']],
    ]);
    expect(made.nodes.map(({ node, state }) => [node, state])).toEqual([
      ['web', 'downstream'],
      ['api', 'failed'],
      ['db', 'failed'],
    ]);
    expect(made.impact).toBe('WEB is affected by DB.');
  });
});

it('reports when past errors occurred', () => {
  const passed = { node: 'api', from: '2026-01-05T09:00:00Z', until: '2026-01-05T09:08:00Z' };
  const calm = { causes: [], rejected: [], passed };
  const { verdict, headline } = conclude([
    measured(4, 'web'),
    measured(5, 'api'),
    measured(6, 'db'),
    measured(50, 'web', [], { tool: 'rank_root_causes', ranking: calm }),
  ]);
  expect(verdict).toBe('healthy');
  expect(headline).toContain(
    'had errors from 2026-01-05T09:00:00Z until 2026-01-05T09:08:00Z, and none since.',
  );
});

it('names the evidence against an alert if all is well', () => {
  const refutation = 'latency of api was 99, usually 90 to 110';
  const { verdict, headline } = conclude([
    measured(4, 'web'),
    measured(5, 'api'),
    measured(6, 'db'),
    measured(50, 'web', [], {
      tool: 'rank_root_causes',
      ranking: { causes: [], rejected: [], refutation },
    }),
  ]);
  expect(verdict).toBe('healthy');
  expect(headline).toContain(`An alert fired, but ${refutation}.`);
});

describe('a claim that rests on a ranking', () => {
  const all = [measured(4, 'web'), measured(5, 'api'), measured(6, 'db'), ranking({ node: 'api' })];
  const dropped = (node: string, severity: 'critical' | 'info') => {
    const reports = [report([claim({ node, severity, evidence: [50] })])];
    const current = currentMeasurements(all);
    const atReview = reconcile(SHOP, { all, current }, reports).dropped;
    expect(concludeRun(SHOP, all, reports).dropped).toEqual(atReview);
    return atReview.map(({ why }) => why);
  };

  it.each([
    ['api', 'critical', []],
    ['api', 'info', []],
    ['db', 'info', []],
    ['db', 'critical', [expect.stringContaining('was measured healthy')]],
  ] as const)(
    'about %s as %s: dropped for %j, when it is reported and at the end',
    (node, severity, why) => {
      expect(dropped(node, severity)).toEqual(why);
    },
  );

  it('is dropped if a later ranking does not suspect its node', () => {
    const later = { ...ranking({ node: 'db' }), sequence: 51 };
    const reports = [report([claim({ node: 'api', severity: 'critical', evidence: [50, 51] })])];
    expect(concludeRun(SHOP, [...all, later], reports).dropped).toMatchObject([{ node: 'api' }]);
  });

  it('explains what the ranking found', () => {
    const words = claim({ node: 'api', title: 'Its pool is empty', detail: '', evidence: [50] });
    const { findings } = concludeRun(SHOP, all, [report([words])]).report;
    expect(findings.filter(({ node }) => node === 'api')).toMatchObject([
      { origin: 'measured', severity: 'critical', explanation: 'Its pool is empty.' },
    ]);
  });
});

describe('a suspect that no agent reports', () => {
  const all = [measured(4, 'web'), measured(5, 'api'), measured(6, 'db'), ranking({ node: 'api' })];
  const suspect = { node: 'api', severity: 'critical', origin: 'measured', title: 'errors rise' };
  const dismissing = { ...report([]), dismissed: [{ sequence: 50, reason: 'a drill' }] };

  it('is a finding and the root cause, and a warning reports it', () => {
    const healthy = concludeRun(SHOP, all, [report([]), report([claim({ node: 'web' })])]);
    expect(healthy.unreported).toMatchObject([suspect]);
    expect(healthy.report).toMatchObject({ verdict: 'root_cause_found', findings: [suspect] });
  });

  it.each([
    ['it is claimed on the ranking', report([claim({ node: 'api', evidence: [50] })])],
    ['it is claimed on its own measurement', report([claim({ node: 'api', evidence: [5] })])],
    ['an agent asks to disregard the ranking', dismissing],
  ])('is not warned of if %s', (_, made) => {
    expect(concludeRun(SHOP, all, [made]).unreported).toEqual([]);
  });

  it('that an agent asks to disregard has the reason in its detail', () => {
    const { findings } = concludeRun(SHOP, all, [dismissing]).report;
    expect(findings).toMatchObject([suspect]);
    expect(findings[0]?.detail).toContain('An agent asks to disregard this: "a drill".');
  });

  it('is not warned of if what it depends on explains it', () => {
    const down = measured(6, 'db', [issue()]);
    const { unreported } = concludeRun(SHOP, [down, ranking({ node: 'api' })], []);
    expect(unreported).toMatchObject([{ node: 'db' }]);
  });
});

it('the order of results does not decide which finding of a node names its root cause', () => {
  const failing = issue({ kind: 'exception' });
  const full = issue({ symptom: 'saturated', kind: 'disk-full', title: 'the disk is full' });
  const causeOf = (first: typeof failing, second: typeof failing) =>
    conclude([
      measured(5, 'api', [first], { tool: 'http_probe' }),
      measured(6, 'api', [second], { tool: 'redis_inspect' }),
    ]).root_causes[0];
  expect(causeOf(failing, full)).toMatchObject({ kind: 'disk-full' });
  expect(causeOf(full, failing)).toMatchObject({ kind: 'disk-full' });
});
