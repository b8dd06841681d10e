import { expect, it } from '@jest/globals';
import { matchScore } from '../../console/src/app/match-score.js';

const ROYALTIES = ['royalties: connection pool exhausted', 'Checkout fails.', 'Bookshop'];
const SHOP = [
  'Storefront answers 502',
  'Customers say that they cannot order. Analyze it.',
  'Playground shop',
];

/** The texts that fit, best first. */
const ranked = (typed: string, ...targets: string[][]): string[][] =>
  targets
    .filter((target) => matchScore(typed, target) > 0)
    .sort((a, b) => matchScore(typed, b) - matchScore(typed, a));

it.each(['royal', 'Royalties', 'pool bookshop', 'checkout'])(
  'finds the run that "%s" is about, and no other',
  (typed) => expect(ranked(typed, SHOP, ROYALTIES)).toEqual([ROYALTIES]),
);

it('puts a whole word before a beginning, a part and scattered characters', () => {
  const targets = [['s-h-o-p'], ['workshop'], ['shopping'], ['the shop']];
  expect(ranked('shop', ...targets)).toEqual(targets.toReversed());
});

it('looks for scattered characters in what is shown only', () => {
  expect(matchScore('tplg', ['Topologies'])).toBeGreaterThan(0);
  expect(matchScore('tplg', ['Runs', 'topologies'])).toBe(0);
});

it('needs all words, and takes everything for nothing', () => {
  expect(matchScore('pool storefront', ROYALTIES)).toBe(0);
  expect(matchScore(' ', ROYALTIES)).toBe(1);
});
