import { expect, test } from '@jest/globals';
import type { RootCause } from './finding.js';
import type { Measurement } from './measurement.js';
import type { MeasuredRanking } from './measured-ranking.js';
import { namedBy, rankedCauses, withoutExplained } from './ranked-causes.js';

const nodesOf = (ids: string[]) =>
  ids.map((id) => ({
    ...{ id, name: `The ${id}`, kind: 'x' },
    dependsOn: [],
    attributes: {},
  }));
const nodes = nodesOf(['shop', 'cart']);
const cause = (node: string, score: number): MeasuredRanking['causes'][number] => ({
  ...{ node, score, kind: 'timeout' as const, title: 'times out', confidence: 0.8 },
  ...{ for: ['its errors are new'], against: [] },
});
const ranking = (causes: ReturnType<typeof cause>[]): Measurement => ({
  ...{ sequence: 9, at: '', tool: 'rank_root_causes', node: 'shop', subject: '', status: 'ok' },
  ...{ summary: '', issues: [], unreliable: false, tries: 1, partial: false, measures: 'system' },
  ranking: {
    causes,
    rejected: [{ node: 'shop', title: 'the alert is about it', reasons: ['later'] }],
  },
});
const measured = { ...ranking([]), sequence: 12, node: 'cart', tool: 'log_patterns' };
delete measured.ranking;

test('the first suspect is the root cause, on the evidence of the ranking and of its node', () => {
  const { rootCauses, findings, candidates } = rankedCauses({ nodes }, [
    ranking([cause('cart', 4), cause('shop', 2)]),
    measured,
  ]);
  expect(rootCauses).toMatchObject([
    {
      node: 'cart',
      title: 'The cart: times out',
      kind: 'timeout',
      confidence: 0.8,
      evidence: [9, 12],
    },
  ]);
  expect(findings.map(({ node, severity, detail }) => [node, severity, detail])).toEqual([
    ['cart', 'critical', 'its errors are new.'],
    ['shop', 'info', 'later.'],
  ]);
  expect(candidates).toEqual([
    { node: 'cart', score: 0.8 },
    { node: 'shop', score: 0.4 },
  ]);
});

test('a ranking without causes, or of nodes that are not there, says nothing', () => {
  const none = { rootCauses: [], findings: [], candidates: [], suffering: [] };
  expect(rankedCauses({ nodes }, [ranking([])])).toEqual(none);
  expect(rankedCauses({ nodes }, [ranking([cause('nowhere', 1)])])).toEqual(none);
  expect(rankedCauses({ nodes }, [])).toEqual(none);
});

test('nodes that show trouble since the onset suffer from the cause, if they are connected with it', () => {
  const all = nodesOf(['cart', 'shop', 'db', 'mail']).map((node) => ({
    ...node,
    dependsOn: ['cart', 'shop'].includes(node.id) ? ['db'] : [],
  }));
  const at = (node: string, minute: number) => ({
    ...cause(node, 10 - minute),
    onset: `2026-01-01T00:0${minute}:00.000Z`,
  });
  const { suffering, rootCauses } = rankedCauses({ nodes: all }, [
    ranking([at('cart', 5), at('shop', 7), at('mail', 7), at('db', 4)]),
  ]);
  expect(suffering).toEqual(['shop']);
  expect(rootCauses).toMatchObject([{ node: 'cart', explains: ['shop'] }]);
});

test('a suspect that measurements explain by another node is no root cause, unless a change explains it', () => {
  const ranked = rankedCauses({ nodes }, [ranking([cause('cart', 4)])]);
  const kept = withoutExplained(ranked, ['shop']);
  expect(kept).toEqual(ranked);
  const { rootCauses, findings, candidates } = withoutExplained(ranked, ['cart']);
  expect(rootCauses).toEqual([]);
  expect(findings).toMatchObject([{ node: 'cart', severity: 'info' }, { node: 'shop' }]);
  expect(candidates).toEqual(ranked.candidates);
  const changed = rankedCauses({ nodes }, [ranking([{ ...cause('cart', 4), change: 'abc' }])]);
  expect(withoutExplained(changed, ['cart']).rootCauses).toMatchObject([{ node: 'cart' }]);
});

test('a suspect without a kind has the name of what was measured at its node', () => {
  const [suspect] = rankedCauses({ nodes }, [ranking([{ ...cause('cart', 4), kind: 'unknown' }])])
    .rootCauses as [RootCause];
  const own: RootCause = {
    ...{ node: 'cart', kind: 'crash-loop', title: 'The cart: keeps restarting', confidence: 0.9 },
    ...{ evidence: [3], basis: ['it was measured'], chain: ['cart'] },
  };
  const named = { kind: 'crash-loop', title: own.title, confidence: 0.9, evidence: [3, 9] };
  expect(namedBy([own])(suspect)).toMatchObject({ ...suspect, ...named, basis: expect.anything() });
  expect(namedBy([{ ...own, node: 'shop' }])(suspect)).toEqual(suspect);
  expect(namedBy([own])({ ...suspect, kind: 'timeout' })).toMatchObject({ kind: 'timeout' });
});
