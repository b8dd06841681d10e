import { describe, expect, it } from '@jest/globals';
import { finding } from '../../../test/support/measured-shop.js';
import { countFindings, countsSentence, verdictOf } from './verdict.js';

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
