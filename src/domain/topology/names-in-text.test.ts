import { expect, test } from '@jest/globals';
import { mentions, names, nodesIn } from './names-in-text.js';

const shop = {
  name: 'Web shop',
  nodes: [
    { id: 'orders-db', name: 'Orders database' },
    { id: 'orders', name: 'Orders' },
    { id: 'web', name: 'Storefront' },
  ],
};

test.each([
  ['is orders db ok?', ['orders-db']],
  ['orders and the orders-db', ['orders-db', 'orders']],
  ['the web shop', []],
  ['storefronts', []],
])('%s names %j', (text, ids) => expect(nodesIn(text, shop).map(({ id }) => id)).toEqual(ids));

test('a topology is named by itself, by a node, and by a word of its name', () => {
  expect(['web shop', 'orders', 'the shop?'].map((text) => names(text, shop))).toEqual([
    true,
    true,
    true,
  ]);
  expect(['lorem ipsum', 'sho', ''].map((text) => names(text, shop))).toEqual([
    false,
    false,
    false,
  ]);
});

test('a name is whole words, whatever characters it has', () => {
  expect(mentions('is a+b (x) down', 'a+b (x)')).toBe(true);
  expect(mentions('is ab down', 'a')).toBe(false);
});
