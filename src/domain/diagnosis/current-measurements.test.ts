import { describe, expect, it } from '@jest/globals';
import { issue, measured, SHOP } from '../../../test/support/incidents/measured-shop.js';
import { concludeRun } from './conclude-run.js';
import { currentMeasurements } from './current-measurements.js';
import type { Measurement } from './measurement.js';

const failed = measured(5, 'api', [issue()], { subject: '{"path":"/a"}', tries: 3 });
const later = (over: Partial<Measurement>) =>
  measured(8, 'api', [], { subject: '{"path":"/a"}', tries: 3, ...over });
const some = issue({ title: 'fails now and then: answers 500', intermittent: true });
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
    ['that lacked a right to see all', { hidden: 'states of others are hidden' }],
    ['that could not measure', { status: 'unavailable' }],
    ['that was made before', { sequence: 3 }],
  ])('stands after a measurement %s', (_, over) => {
    expect(symptomsOf(failed, later(over))).toEqual(['erroring']);
    expect(concludeRun(SHOP, [failed, later(over)], []).report.verdict).toBe('root_cause_found');
  });

  it.each<[number, number, number[], boolean]>([
    [1, 10, [3], true],
    [1, 10, [10], true],
    [1, 10, [10, 10, 10], false],
    [5, 10, [3], true],
    [5, 10, [3, 3], false],
    [9, 10, [3], false],
  ])(
    'that %d of %d tries showed, and none of %j later ones, stands: %j',
    (failedTries, tries, looks, stands) => {
      const was = { ...failed, issues: [some], tries, failedTries };
      const all = looks.map((count, i) => later({ sequence: 10 + i, tries: count }));
      expect(symptomsOf(was, ...all)).toEqual(stands ? ['erroring'] : []);
    },
  );

  it('of some tries is not taken back by tries that failed otherwise', () => {
    const was = { ...failed, issues: [some], tries: 10, failedTries: 5 };
    const slowly = later({ tries: 10, failedTries: 10, issues: [slow] });
    expect(symptomsOf(was, slowly)).toEqual(['erroring', 'slow']);
    expect(symptomsOf(was, later({ tries: 10, unreliable: true, issues: [slow] }))).toEqual([
      'erroring',
    ]);
  });

  it('that nothing answers is disproved by any answer', () => {
    const closed = { ...failed, issues: [unreachable] };
    expect(symptomsOf(closed, later({ partial: true }))).toEqual([]);
    expect(symptomsOf(closed, later({ partial: true, tries: 1 }))).toEqual(['unreachable']);
  });

  it('of a partial measurement is taken back by another one', () => {
    expect(symptomsOf({ ...failed, partial: true }, later({ partial: true }))).toEqual([]);
    const hidden = 'states of others are hidden';
    expect(symptomsOf({ ...failed, hidden }, later({ hidden }))).toEqual([]);
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

  it('that a status makes is no issue of time, whatever its words', () => {
    const busy = (issues: Measurement['issues']) =>
      measured(5, 'api', issues, { unreliable: true });
    const gateway = issue({ title: 'answers 504 Gateway Timeout' });
    expect(symptomsOf(busy([gateway, slow]))).toEqual(['erroring']);
    const made = concludeRun(SHOP, [busy([gateway, slow])], []).report;
    expect(made.findings).toMatchObject([{ severity: 'critical', title: gateway.title }]);
    const own = { title: 'no connection within 100 ms', duration_ms: 100 };
    expect(symptomsOf(busy([{ ...unreachable, ...own }]))).toEqual([]);
  });

  const titled = (title: string) => issue({ symptom: 'saturated', title });
  const titlesOf = (...all: Measurement[]) =>
    currentMeasurements(all).measurements.flatMap(({ issues }) => issues.map(({ title }) => title));

  it.each<[string, Partial<Measurement>]>([
    ['a part', { partial: true }],
    ['fewer tries', { tries: 1 }],
    ['a busy prober', { unreliable: true }],
  ])('stays beside another fault of the same symptom that a look of %s shows', (_, over) => {
    const was = { ...failed, issues: [titled('replication broken')] };
    const by = later({ ...over, issues: [titled('cluster slot missing'), slow] });
    expect(titlesOf(was, by)).toContain('replication broken');
    expect(titlesOf(was, by)).toContain('cluster slot missing');
  });

  it('that was taken back is not kept beside a worse one of its symptom, nor if it was an information', () => {
    const overruledBy = (was: Measurement['issues'], by: Measurement['issues']) =>
      currentMeasurements([{ ...failed, issues: was }, later({ issues: by })]).overruled.length;
    const nearly = { ...titled('a is nearly full'), severity: 'warning' as const };
    expect(overruledBy([titled('b is full')], [titled('a is full'), nearly])).toBe(0);
    expect(overruledBy([titled('b is full')], [nearly])).toBe(1);
    expect(overruledBy([{ ...titled('b is full'), severity: 'info' }], [])).toBe(0);
  });

  it('with other numbers is another one if the earlier look showed both', () => {
    const both = [titled('the disk is 95 % full'), titled('the disk is 97 % full')];
    const by = later({ tries: 1, issues: both.slice(1) });
    expect(titlesOf({ ...failed, issues: both }, by)).toEqual(both.map(({ title }) => title));
  });

  it('is replaced by another wording of a look that would have seen it', () => {
    const was = { ...failed, issues: [titled('replication broken')] };
    expect(titlesOf(was, later({ issues: [titled('its replica does not answer')] }))).toEqual([
      'its replica does not answer',
    ]);
  });

  it.each([
    ['answers in 1400 ms', 'answers in 1200 ms'],
    ['load of 3.2 per core', 'load of 4 per core'],
    ['the disk of a is 95 % full', 'the disk of a is 97 % full'],
    ['fails now and then: answers 500', 'answers 503'],
    ['answers 502 Bad Gateway', 'answers 503 Service Unavailable'],
  ])('with other numbers is the same one: %s, %s', (first, second) => {
    const was = { ...failed, issues: [titled(first)] };
    expect(titlesOf(was, later({ tries: 1, issues: [titled(second)] }))).toEqual([second]);
  });

  it.each([
    ['queue orders-1 is full', 'queue orders-2 is full'],
    ['broker 1 does not answer', 'broker 2 does not answer'],
    ['10.0.0.1 is full', '10.0.0.2 is full'],
    ['db1 is full', 'db2 is full'],
  ])('about something with another name is another one: %s, %s', (first, second) => {
    const was = { ...failed, issues: [titled(first)] };
    expect(titlesOf(was, later({ tries: 1, issues: [titled(second)] }))).toEqual([first, second]);
  });

  it('is not taken back by an unreliable measurement that showed something else', () => {
    const cut = later({ unreliable: true, issues: [slow, issue({ symptom: 'invalid' })] });
    expect(symptomsOf(failed, cut)).toEqual(['erroring', 'invalid']);
  });
});

it('does work linear in the measurements of a subject', () => {
  const workFor = (looks: number): number => {
    let work = 0;
    const counted = (title: string) =>
      Object.defineProperty(issue(), 'title', {
        enumerable: true,
        get: () => {
          work += 1;
          return title;
        },
      });
    const all = Array.from({ length: looks }, (_, i) => {
      const issues = Array.from({ length: 15 }, (_, k) => counted(`queue-${i}-${k} is full`));
      return measured(i + 1, 'api', issues, { tries: looks - i });
    });
    expect(currentMeasurements(all).measurements).toHaveLength(looks);
    return work;
  };
  expect(workFor(100)).toBeLessThan(3 * workFor(50));
});
