import { describe, expect, it } from '@jest/globals';
import { finding } from '../../../test/support/incidents/measured-shop.js';
import { mergeFindings } from './merge-findings.js';

describe('mergeFindings', () => {
  it('replaces a finding by its restatement: same node and title', () => {
    const merged = mergeFindings(
      [finding('db', 'is full', [4])],
      [{ ...finding('db', 'is full', [4]), detail: 'more' }],
    );
    expect(merged).toEqual([{ ...finding('db', 'is full', [4]), detail: 'more' }]);
  });

  it('takes other words over the same evidence for a restatement, when it can only mean one', () => {
    expect(
      mergeFindings([finding('db', 'is full', [4])], [finding('db', 'memory used up', [4])]),
    ).toHaveLength(1);
    const two = [finding('db', 'is full', [4]), finding('db', 'is slow', [4])];
    expect(mergeFindings(two, [finding('db', 'memory used up', [4])])).toHaveLength(3);
  });

  it('puts the worst first', () => {
    const merged = mergeFindings(
      [finding('a', 'x', [1], 'info'), finding('b', 'y', [2], 'warning')],
      [finding('c', 'z', [3])],
    );
    expect(merged.map((f) => f.severity)).toEqual(['critical', 'warning', 'info']);
  });
});
