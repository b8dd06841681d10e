import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../test/support/measured-shop.js';
import { concludeRun } from './conclude-run.js';
import { currentMeasurements } from './current-measurements.js';
import type { Measurement } from './measurement.js';

const failed = measured(5, 'api', [issue()], { subject: '{"path":"/a"}', tries: 3 });
const later = (over: Partial<Measurement>) =>
  measured(8, 'api', [], { subject: '{"path":"/a"}', tries: 3, ...over });
const symptomsOf = (...all: Measurement[]) =>
  currentMeasurements(all).measurements.flatMap(({ issues }) => issues.map((each) => each.symptom));
const unreachable = issue({ symptom: 'unreachable', title: 'connection refused' });
const slow = issue({ symptom: 'slow', severity: 'warning', title: 'answers in 4000 ms' });

describe('C6: a measured issue', () => {
  it('is taken back by a later measurement of the same subject, and leaves an information', () => {
    const { measurements, overruled } = currentMeasurements([later({}), failed]);
    expect(measurements.map(({ sequence }) => sequence)).toEqual([8]);
    expect(overruled).toMatchObject([{ was: { sequence: 5 }, by: { sequence: 8 } }]);
    const { report: made } = concludeRun(SHOP, [later({}), failed], []);
    expect(made.counts).toEqual({ critical: 0, warning: 0, info: 1 });
    expect(made.findings[0]?.evidence).toEqual([5, 8]);
  });

  it.each<[string, Partial<Measurement>]>([
    ['of another subject', { subject: '{"path":"/b"}' }],
    ['of another node', { node: 'web' }],
    ['by another tool', { tool: 'tcp_probe' }],
    ['with fewer tries', { tries: 1 }],
    ['of a part, such as an answer 401', { partial: true }],
    ['that could not measure', { status: 'unavailable' }],
    ['that was made before', { sequence: 3 }],
  ])('stands after a measurement %s', (_, over) => {
    expect(symptomsOf(failed, later(over))).toEqual(['erroring']);
    expect(concludeRun(SHOP, [failed, later(over)], []).report.verdict).toBe('root_cause_found');
  });

  it('that nothing answers is disproved by any answer', () => {
    const closed = { ...failed, issues: [unreachable] };
    expect(symptomsOf(closed, later({ partial: true }))).toEqual([]);
    expect(symptomsOf(closed, later({ partial: true, tries: 1 }))).toEqual(['unreachable']);
  });

  it('of a partial measurement is taken back by another one', () => {
    expect(symptomsOf({ ...failed, partial: true }, later({ partial: true }))).toEqual([]);
  });

  it('that a weaker look shows again is shown once, as the later one saw it', () => {
    const again = later({ tries: 1, issues: [issue({ title: 'answers 503' })] });
    const { measurements, overruled } = currentMeasurements([failed, again]);
    expect(measurements.map(({ sequence }) => sequence)).toEqual([8]);
    expect(overruled).toEqual([]);
  });

  it('stays beside another one that a weaker look found', () => {
    expect(symptomsOf(failed, later({ tries: 1, issues: [slow] }))).toEqual(['erroring', 'slow']);
  });

  it('about time is no finding by itself if the prober was short of processor time', () => {
    const lagging = measured(5, 'api', [slow], { unreliable: true });
    const { report: made } = concludeRun(
      SHOP,
      [measured(4, 'web'), lagging, measured(6, 'db')],
      [],
    );
    expect(made.findings).toEqual([]);
    expect(made.unchecked).toMatchObject([{ node: 'api', reason: 'UNRELIABLE' }]);
    expect(made.verdict).toBe('inconclusive');
    const refused = measured(5, 'api', [unreachable], { unreliable: true });
    expect(concludeRun(SHOP, [refused], []).report.counts.critical).toBe(1);
  });

  it('is not taken back by a partial measurement that shows another one of the same symptom', () => {
    const full = (queue: string) =>
      issue({ symptom: 'saturated', title: `queue ${queue} is full` });
    const both = { ...failed, issues: [full('a'), full('b')] };
    const { measurements } = currentMeasurements([
      both,
      later({ partial: true, tries: 1, issues: [full('b')] }),
    ]);
    const titles = measurements.flatMap(({ issues }) => issues.map(({ title }) => title));
    expect(titles).toEqual(['queue a is full', 'queue b is full']);
  });

  it('is not taken back by an unreliable measurement that showed something else', () => {
    const cut = later({ unreliable: true, issues: [slow, issue({ symptom: 'invalid' })] });
    expect(symptomsOf(failed, cut)).toEqual(['erroring', 'invalid']);
  });
});
