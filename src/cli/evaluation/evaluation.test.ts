import { describe, expect, test } from '@jest/globals';
import { compareReports } from './compare-reports.js';
import { scoresBelow } from './least-scores.js';
import { scoreReport } from './score.js';
import { scoreTable } from './score-table.js';
import type { ReportLine } from './report-line.js';
import type { Truth } from './truth.js';

const truth = (more: Partial<Truth> = {}): Truth => ({
  id: 'a',
  set: 'own',
  healthy: false,
  rootCauses: [{ node: 'db', kind: 'lock' }],
  ...more,
});
const report = (more: Partial<ReportLine> = {}): ReportLine => ({
  incidentId: 'a',
  healthy: false,
  ranked: [],
  text: '',
  verdict: '',
  seconds: 1,
  tokens: 0,
  ...more,
});

describe('scoreReport', () => {
  test('counts the first suspect, its kind and its change', () => {
    const ranked = [{ node: 'db', kind: 'lock', change: '0123456', score: 0.9 }];
    const score = scoreReport(
      truth({ change: '0123456789', decoys: { changes: ['fff'] } }),
      report({ ranked }),
    );
    expect(score).toMatchObject({
      accuracy: [1, 1, 1, 1, 1],
      kind: true,
      change: true,
      decoy: false,
    });
  });

  test('counts ties by their expected value', () => {
    const ranked = ['web', 'db'].map((node) => ({ node, score: 0.5 }));
    expect(scoreReport(truth(), report({ ranked })).accuracy).toEqual([0.5, 1, 1, 1, 1]);
  });

  test('takes no report for wrong everywhere, and silence for no selected change', () => {
    expect(scoreReport(truth({ change: 'none' }), undefined)).toMatchObject({
      accuracy: [0, 0, 0, 0, 0],
      change: false,
    });
    expect(scoreReport(truth({ change: 'none' }), report()).change).toBe(true);
    expect(scoreReport(truth({ healthy: true }), undefined).calm).toBe(false);
  });

  test('looks for each pattern in the text', () => {
    const given = truth({ text: ['OOM', 'pod'] });
    expect(scoreReport(given, report({ text: 'oomkilled' })).text).toBe(false);
    expect(scoreReport(given, report({ text: 'the Pod was OOMKilled' })).text).toBe(true);
  });
});

test('the table has a row for each set', () => {
  const scores = [truth(), truth({ id: 'b', set: 'calm', healthy: true })].map((each) =>
    scoreReport(each, undefined),
  );
  const table = scoreTable(scores).split('\n');
  expect(table[1]).toMatch(/^own +1 +0\.000/);
  expect(table[2]).toMatch(/^calm +1 +- .* 0\/1 /);
});

test('a comparison shows what has changed, and whether for the better', () => {
  const of = (node: string) => new Map([['a', report({ ranked: [{ node, score: 1 }] })]]);
  expect(compareReports(of('db'), of('db'), new Map())).toEqual([]);
  expect(compareReports(of('web'), of('db'), new Map([['a', truth()]]))).toEqual([
    'a  better',
    '  was web (unknown)',
    '  is  db (unknown)',
  ]);
});

describe('scoresBelow', () => {
  const ranked = [{ node: 'db', kind: 'lock', score: 0.9 }];
  const scores = [
    scoreReport(truth(), report({ ranked })),
    scoreReport(truth({ id: 'b' }), undefined),
    scoreReport(truth({ id: 'c', set: 'quiet', healthy: true }), report({ healthy: true })),
  ];

  test('names nothing if each set reaches its least scores', () => {
    const least = { own: { 'AC@1': 0.5, kind: 1 }, quiet: { calm: 1 } };
    expect(scoresBelow(least, scores)).toEqual([]);
  });

  test('names each score that is below, also of a set that was not evaluated', () => {
    const least = {
      own: { 'AC@1': 0.501, kind: 2 },
      quiet: { calm: 2 },
      tt: { 'AC@1': 0.9, kind: 0 },
    };
    expect(scoresBelow(least, scores)).toEqual([
      'own: AC@1 is 0.500, at least 0.501',
      'own: kind is 1, at least 2',
      'quiet: calm is 1, at least 2',
      'tt: AC@1 is 0.000, at least 0.9',
    ]);
  });
});
