import { describe, expect, it } from '@jest/globals';
import type { Change } from '../../domain/telemetry/records.js';
import {
  idOfChange,
  judgeUnread,
  shortId,
  titleOfChange,
  unreadChanges,
} from './unread-changes.js';

const MINUTE = 60_000;
const flag = (minute: number, node?: string): Change => ({
  kind: 'flag',
  at: minute * MINUTE,
  flag: 'fast-path',
  from: 'off',
  to: 'on',
  ...(node !== undefined && { node }),
});
/** The cart is unhealthy from minute 10 on, the shop from 20. */
const unhealthy = new Map([
  ['cart', 10 * MINUTE],
  ['shop', 20 * MINUTE],
]);
const scene = {
  unhealthy,
  growing: new Map<string, number>(),
  recorded: new Set(['cart', 'shop', 'db']),
};
const scoreOf = (change: Change) => judgeUnread(change, scene).score;

describe('a change without a diff', () => {
  it('is suspect right before the first failure of its node, and less with each quiet minute', () => {
    expect(scoreOf(flag(9.5, 'cart'))).toBeGreaterThan(0.3);
    expect(scoreOf(flag(5, 'cart'))).toBeLessThan(0.1);
    expect(scoreOf(flag(-50, 'cart'))).toBeLessThan(0.01);
  });

  it('stays suspect for longer if the failure of its node grew slowly', () => {
    const growing = new Map([['cart', 40 * MINUTE]]);
    expect(judgeUnread(flag(5, 'cart'), { ...scene, growing }).score).toBeGreaterThan(0.3);
    expect(judgeUnread(flag(-50, 'cart'), { ...scene, growing }).score).toBeLessThan(0.15);
  });

  it('stays suspect for longer if it replaces machines', () => {
    const infra: Change = { kind: 'infra', at: 2 * MINUTE, node: 'cart', id: 'tf-1' };
    expect(scoreOf(infra)).toBeGreaterThan(0.15);
    expect(scoreOf({ ...infra, kind: 'manual' })).toBeLessThan(0.01);
  });

  it('is hardly suspect where other nodes were unhealthy before', () => {
    expect(scoreOf(flag(19.5, 'shop'))).toBeLessThan(0.15);
    expect(judgeUnread(flag(19.5, 'shop'), scene).against).toEqual([
      'other nodes became unhealthy before it',
    ]);
  });

  it.each([
    ['after its node became unhealthy', flag(12, 'cart'), 'after cart became unhealthy'],
    ['at a node that is well', flag(9, 'db'), 'db shows no symptom'],
    ['at a node without telemetry', flag(9, 'mail'), 'nothing was recorded of mail'],
    ['at no node', flag(9), 'it names no node'],
  ])('is not suspect %s', (_, change, says) => {
    const { score, against } = judgeUnread(change, scene);
    expect(score).toBe(0);
    expect(against.join()).toContain(says);
  });
});

describe('unreadChanges', () => {
  const deploy: Change = { kind: 'deploy', at: 0, node: 'cart', version: '7' };
  const commit: Change = { kind: 'commit', at: 0, id: 'c0ffee', diff: '+a' };
  const config: Change = { kind: 'config', at: 0, node: 'cart', id: 'x', diff: '-a: 1\n+a: 2' };

  it('are those of which no content was recorded; of deploys, if they name no recorded commit', () => {
    const named = { ...deploy, commit: 'c0ffee' };
    const other = { ...deploy, commit: 'decade' };
    expect(unreadChanges([flag(1), deploy, commit, config])).toEqual([flag(1), deploy]);
    expect(unreadChanges([named, other, commit])).toEqual([other]);
  });

  it('are called by what they have', () => {
    expect([flag(1), deploy, commit].map(idOfChange)).toEqual(['fast-path', '7', 'c0ffee']);
    expect(titleOfChange(flag(1))).toBe('flag fast-path: off → on');
    expect(titleOfChange(deploy)).toBe('deploy cart 7');
    expect(titleOfChange({ ...commit, message: 'Fix it\n\nmore' })).toBe('Fix it');
  });

  it('are named by their whole id, but for the sum of a commit', () => {
    expect(shortId('rightsizing-0610')).toBe('rightsizing-0610');
    expect(shortId('632dd98828749a93c704f8c0cda5a936ae06fb45')).toBe('632dd9882874');
  });
});
