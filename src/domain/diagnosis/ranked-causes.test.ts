import { expect, test } from '@jest/globals';
import type { Finding, RootCause, Symptom } from './finding.js';
import type { Measurement } from './measurement.js';
import type { MeasuredRanking } from './measured-ranking.js';
import { explainedBy, namedBy, rankedCauses, withoutExplained } from './ranked-causes.js';

const nodesOf = (ids: string[]) =>
  ids.map((id) => ({
    id,
    name: `The ${id}`,
    kind: 'x',
    dependsOn: [],
    attributes: {},
  }));
const nodes = nodesOf(['shop', 'cart']);
const cause = (node: string, score: number): MeasuredRanking['causes'][number] => ({
  node,
  score,
  kind: 'timeout' as const,
  title: 'times out',
  confidence: 0.8,
  for: ['its errors are new'],
  against: [],
});
const ranking = (causes: ReturnType<typeof cause>[]): Measurement => ({
  sequence: 9,
  at: '',
  tool: 'rank_root_causes',
  node: 'shop',
  subject: '',
  status: 'ok',
  summary: '',
  issues: [],
  unreliable: false,
  tries: 1,
  partial: false,
  measures: 'system',
  ranking: {
    causes,
    rejected: [{ node: 'shop', title: 'the alert is about it', reasons: ['later'] }],
  },
});
const issue = {
  severity: 'info' as const,
  symptom: 'erroring' as const,
  title: 'new error',
  detail: '',
};
const measured = {
  ...ranking([]),
  sequence: 12,
  node: 'cart',
  tool: 'log_patterns',
  issues: [issue],
};
delete measured.ranking;

test('the first suspect is the root cause, on the evidence of the ranking and of its node', () => {
  const { rootCauses, findings, candidates } = rankedCauses({ nodes }, [
    ranking([cause('cart', 4), cause('shop', 2)]),
    measured,
    { ...measured, sequence: 13, issues: [] },
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

test('reasons that end in a full stop get no second one', () => {
  const reasons = { for: ['its logs say "down."', 'it is new.'], against: ['it is far.'] };
  const { findings } = rankedCauses({ nodes }, [ranking([{ ...cause('cart', 4), ...reasons }])]);
  expect(findings[0]?.detail).toBe('its logs say "down."; it is new. Against it: it is far.');
});

test('a ranking without causes, or of nodes that are not there, says nothing', () => {
  const none = { rootCauses: [], findings: [], candidates: [], affected: [] };
  expect(rankedCauses({ nodes }, [ranking([])])).toEqual(none);
  expect(rankedCauses({ nodes }, [ranking([cause('nowhere', 1)])])).toEqual(none);
  expect(rankedCauses({ nodes }, [])).toEqual(none);
});

test('nodes that are unhealthy since the onset are affected by the cause, if they are connected with it', () => {
  const all = nodesOf(['cart', 'shop', 'web', 'db', 'mail']).map((node) => ({
    ...node,
    dependsOn: ['cart', 'shop', 'web'].includes(node.id) ? ['db'] : [],
  }));
  const at = (node: string, minute: number) => ({
    ...cause(node, 10 - minute),
    onset: `2026-01-01T00:0${minute}:00.000Z`,
  });
  const { affected, rootCauses } = rankedCauses({ nodes: all }, [
    ranking([at('cart', 5), at('web', 5), at('shop', 7), at('mail', 7), at('db', 4)]),
  ]);
  expect(affected).toEqual(['web', 'shop']);
  expect(rootCauses).toMatchObject([{ node: 'cart', explains: ['web', 'shop'] }]);
});

test.each([
  ['refuses a wrong password', 'auth', []],
  ['has more to do', 'cpu-saturated', ['db', 'cache']],
] as const)(
  'what a root cause, or a caller of it, depends on is affected if it %s',
  (_, kind, expected) => {
    const calls: Record<string, string[]> = { web: ['cart', 'cache'], cart: ['db'] };
    const all = nodesOf(['web', 'cart', 'db', 'cache']).map((each) => ({
      ...each,
      dependsOn: calls[each.id] ?? [],
    }));
    const since = (node: string, minute: number) => ({
      ...cause(node, 10 - minute),
      kind,
      onset: `2026-01-01T00:0${minute}:00.000Z`,
    });
    const { affected } = rankedCauses({ nodes: all }, [
      ranking([since('cart', 1), since('db', 2), since('cache', 3)]),
    ]);
    expect(affected).toEqual(expected);
  },
);

const finding = (node: string, symptom: Symptom = 'erroring'): Finding => ({
  node,
  symptom,
  severity: 'critical',
  title: 'fails',
  detail: '',
  evidence: [3],
});
const above = nodes.map((node) => ({ ...node, dependsOn: node.id === 'cart' ? ['shop'] : [] }));
const explain = (downstream: string[], ...findings: Finding[]) =>
  [{ nodes: above }, { findings, downstream }] as const;

test.each([
  [
    'all that was measured at it is explained by that',
    explain(['cart'], finding('cart'), finding('shop')),
    [],
  ],
  ['nothing was measured at it', explain([], finding('shop')), []],
  ['it is unhealthy for another reason', explain([], finding('cart'), finding('shop')), ['cart']],
  ['that is only worth knowing', explain([], finding('shop', 'advisory')), ['cart']],
  ['nothing was measured', explain([]), ['cart']],
] as const)(
  'a suspect above a node that was measured to be unhealthy: %s',
  (_, known, expected) => {
    const ranked = rankedCauses({ nodes }, [ranking([cause('cart', 4)])]);
    const made = withoutExplained(ranked, ...known);
    expect(made.rootCauses.map(({ node }) => node)).toEqual(expected);
    expect(made.findings).toMatchObject([
      { node: 'cart', severity: expected.length > 0 ? 'critical' : 'info' },
      { node: 'shop' },
    ]);
    expect(made.candidates).toEqual(ranked.candidates);
  },
);

test('a suspect that a change explains stays', () => {
  const changed = rankedCauses({ nodes }, [ranking([{ ...cause('cart', 4), change: 'abc' }])]);
  expect(withoutExplained(changed, ...explain(['cart'], finding('cart'), finding('shop')))).toEqual(
    changed,
  );
});

test('no node is affected by a suspect that is no root cause', () => {
  const late = (node: string, onset: string) => ({ ...cause(node, 1), onset });
  const all = [
    ranking([late('cart', '2026-01-01T00:01:00Z'), late('shop', '2026-01-01T00:02:00Z')]),
  ];
  const ranked = rankedCauses({ nodes: above }, all);
  expect(ranked.affected).toEqual(['shop']);
  expect(withoutExplained(ranked, ...explain([], finding('shop'))).affected).toEqual([]);
});

test('claims about the suspect that rest on the ranking explain its finding', () => {
  const ranked = rankedCauses({ nodes }, [ranking([cause('cart', 4)])]);
  const claims = [
    { ...finding('cart'), title: 'Its pool is empty', evidence: [9] },
    { ...finding('cart'), title: 'Elsewhere', evidence: [4] },
    { ...finding('shop'), title: 'Suffers', evidence: [9] },
    { ...finding('cart'), title: 'Was asked', severity: 'info' as const, evidence: [9] },
  ];
  const made = explainedBy(ranked, { claims, reports: [], sequence: 9 });
  expect(made.findings[0]).toMatchObject({ node: 'cart', explanation: 'Its pool is empty.' });
  expect(made.claims).toEqual(claims.slice(1));
  const none = { ...ranked, findings: [] };
  expect(explainedBy(none, { claims, reports: [], sequence: 9 }).claims).toEqual(claims);
});

test('a suspect without a kind has the name of what was measured at its node', () => {
  const [suspect] = rankedCauses({ nodes }, [ranking([{ ...cause('cart', 4), kind: 'unknown' }])])
    .rootCauses as [RootCause];
  const own: RootCause = {
    node: 'cart',
    kind: 'crash-loop',
    title: 'The cart: keeps restarting',
    confidence: 0.9,
    evidence: [3],
    basis: ['it was measured'],
    chain: ['cart'],
  };
  const named = { kind: 'crash-loop', title: own.title, confidence: 0.9, evidence: [3, 9] };
  expect(namedBy([own])(suspect)).toMatchObject({ ...suspect, ...named, basis: expect.anything() });
  expect(namedBy([{ ...own, confidence: 0.5 }])(suspect)).toMatchObject({ confidence: 0.8 });
  expect(namedBy([{ ...own, node: 'shop' }])(suspect)).toEqual(suspect);
  expect(namedBy([own])({ ...suspect, kind: 'timeout' })).toMatchObject({ kind: 'timeout' });
});

test('a node with only an alert is worth a check, and is no root cause', () => {
  const alerted = { ...cause('cart', 1), title: 'an alert is about it', alertOnly: true };
  const { rootCauses, findings, candidates } = rankedCauses({ nodes }, [ranking([alerted])]);
  expect(rootCauses).toEqual([]);
  expect(findings).toMatchObject([
    { node: 'cart', severity: 'warning', title: 'an alert is about it', evidence: [9] },
  ]);
  expect(candidates).toEqual([{ node: 'cart', score: 0.8 }]);
  const severityBeside = (below: Finding) =>
    withoutExplained(rankedCauses({ nodes }, [ranking([alerted])]), ...explain([], below))
      .findings[0]?.severity;
  expect(severityBeside(finding('shop'))).toBe('info');
  expect(severityBeside(finding('shop', 'advisory'))).toBe('warning');
});

test('a suspect has the affected nodes, and the way to it, from what was measured', () => {
  const [suspect] = rankedCauses({ nodes }, [ranking([cause('cart', 4)])]).rootCauses as [
    RootCause,
  ];
  const own: RootCause = {
    node: 'cart',
    title: 'The cart: fails',
    confidence: 0.9,
    evidence: [3],
    explains: ['shop'],
    chain: ['shop', 'cart'],
  };
  expect(namedBy([own])(suspect)).toMatchObject({ explains: ['shop'], chain: ['shop', 'cart'] });
});
