import { describe, expect, it } from '@jest/globals';
import { finding } from '../../../test/support/incidents/measured-shop.js';
import type { Symptom } from './finding.js';
import {
  causesSentence,
  countFindings,
  countsSentence,
  headlineOf,
  impactOf,
  verdictOf,
} from './verdict.js';

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

describe('the headline of a root cause', () => {
  const headline = (notExcluded: string[], unchecked: string[], symptom: Symptom = 'erroring') =>
    headlineOf({
      topology: {
        nodes: [
          { id: 'pay', name: 'Payments', dependsOn: ['db', 'mq'] },
          { id: 'db', name: 'Orders', dependsOn: [] },
          { id: 'mq', name: 'Queue', dependsOn: [] },
        ].map((node) => ({ ...node, kind: 'service', attributes: {} })),
      },
      verdict: 'root_cause_found',
      rootCauses: [
        {
          node: 'pay',
          title: 'Payments: answers 500',
          confidence: 1,
          evidence: [1],
          symptom,
          not_excluded: notExcluded.map((node) => ({ node, reason: 'not checked' })),
        },
      ],
      unchecked: unchecked.map((node) => ({ node, reason: 'it timed out' })),
      findings: [],
      nodes: [],
      ended: 'completed',
      incomplete: false,
    });
  const CERTAIN = 'Payments is the root cause: answers 500.';
  const POSSIBLE = 'Payments may be the root cause: answers 500.';

  it.each([
    [['db'], ['db'], `${POSSIBLE} Payments depends on Orders, which was not checked.`],
    [
      ['db', 'mq'],
      ['db', 'mq'],
      `${POSSIBLE} Payments depends on Orders and Queue, which were not checked.`,
    ],
    [['db', 'mq'], ['db'], `${POSSIBLE} Payments depends on Orders, which was not checked.`],
    [['db'], ['mq'], `${CERTAIN} Queue was not checked.`],
    [[], ['db', 'mq'], `${CERTAIN} Orders and Queue were not checked.`],
    [
      ['db'],
      ['db', 'mq'],
      `${POSSIBLE} Payments depends on Orders, which was not checked. Queue was not checked.`,
    ],
    [[], [], CERTAIN],
  ])('A2: that does not exclude %j, with %j unchecked', (notExcluded, unchecked, text) => {
    expect(headline(notExcluded, unchecked)).toBe(text);
  });

  it.each(['saturated', 'invalid'] as const)(
    'is certain of what no dependency can cause: a node that is %s',
    (symptom) =>
      expect(headline(['db'], ['db'], symptom)).toBe(`${CERTAIN} Orders was not checked.`),
  );
});

it('a cause that is more likely not to be one may be the root cause', () => {
  const sentence = (confidence: number) =>
    causesSentence([{ node: 'a', title: 'a: is full', confidence }], (node) => node);
  expect(sentence(0.49)).toBe('a may be the root cause: is full.');
  expect(sentence(0.5)).toBe('a is the root cause: is full.');
});

it('root causes in the words of a system that end with a full stop have no second one', () => {
  const cause = (node: string) => ({ node, title: `${node}: is full.`, confidence: 0.8 });
  const nameOf = (node: string) => node;
  expect(causesSentence([cause('a')], nameOf)).toBe('a is the root cause: is full.');
  expect(causesSentence(['a', 'b', 'c', 'd', 'e', 'f'].map(cause), nameOf)).toBe(
    '6 root causes. a: is full. b: is full. c: is full. d: is full. e: is full. And 1 more.',
  );
});

describe('a node with a warning of its own', () => {
  const nodes = ['pay', 'cdn', 'web'].map((id) => ({ id, name: id.toUpperCase(), dependsOn: [] }));
  const factsWith = (state: 'degraded' | 'downstream' | 'healthy', causes = ['pay']) => ({
    topology: { nodes: nodes.map((node) => ({ ...node, kind: 'service', attributes: {} })) },
    verdict: 'root_cause_found' as const,
    rootCauses: causes.map((node) => ({
      node,
      title: `${node.toUpperCase()}: answers 500`,
      confidence: 1,
      evidence: [1],
    })),
    unchecked: [],
    findings: [],
    ended: 'completed' as const,
    incomplete: false,
    nodes: [
      { node: 'pay', state: 'failed' as const },
      { node: 'cdn', state },
      { node: 'web', state: 'healthy' as const },
    ],
  });
  const CAUSE = 'PAY is the root cause: answers 500.';

  it('is in the headline, and not said to be well', () => {
    const facts = factsWith('degraded');
    expect(headlineOf(facts)).toBe(`${CAUSE} Apart from that, CDN deserves attention.`);
    const title = 'load of 11.4 per core';
    const found = finding('cdn', title, [2], 'warning');
    expect(headlineOf({ ...facts, findings: [found] })).toBe(
      `${CAUSE} Apart from that, CDN (load of 11.4 per core) deserves attention.`,
    );
    expect(impactOf(facts)).toBe('No other node is measurably affected by it.');
  });

  it.each([
    ['healthy', ['pay'], 'No other node is measurably affected.'],
    ['downstream', ['pay'], 'CDN is affected by it.'],
    ['degraded', ['pay', 'cdn'], 'No other node is measurably affected.'],
  ] as const)('is not one that is %s, with the root causes %j', (state, causes, impact) => {
    const facts = factsWith(state, [...causes]);
    expect(headlineOf(facts)).not.toContain('Apart from that');
    expect(impactOf(facts)).toBe(impact);
  });

  it('names of several root causes the one that affects others', () => {
    const facts = factsWith('downstream', ['pay', 'web']);
    expect(impactOf(facts)).toBe('CDN is affected by them.');
    const rootCauses = facts.rootCauses.map((cause, i) =>
      i === 0 ? { ...cause, explains: ['cdn'] } : cause,
    );
    expect(impactOf({ ...facts, rootCauses })).toBe('CDN is affected by PAY.');
  });
});
