import { expect, test } from '@jest/globals';
import { HIDDEN, hideNames, meantNames, mentions, namesIn, nodesIn } from './names-in-text.js';

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
  expect(['web shop', 'orders', 'the shop?'].map((text) => namesIn(text, shop))).toEqual([
    ['Web shop', 'web', 'shop'],
    ['orders', 'Orders'],
    ['shop'],
  ]);
  expect(['lorem ipsum', 'sho', ''].flatMap((text) => namesIn(text, shop))).toEqual([]);
});

test('a name is whole words, whatever characters it has', () => {
  expect(mentions('is a+b (x) down', 'a+b (x)')).toBe(true);
  expect(mentions('is ab down', 'a')).toBe(false);
});

const page = {
  name: 'Report page',
  nodes: [
    { id: 'bus', name: 'Event bus' },
    { id: 'check', name: 'Wrong' },
  ],
};
const mentioned = (text: string) =>
  [shop, page].map((each) => ({ name: each.name, named: namesIn(text, each) }));

test.each([
  ['is the report page ok?', `is the ${HIDDEN} ok?`],
  ['is the event-bus ok, and the bus?', `is the ${HIDDEN} ok, and the ${HIDDEN}?`],
  ['what is wrong with orders?', `what is wrong with ${HIDDEN}?`],
  ['can you check the report?', 'can you check the report?'],
  ['is the wrong ok?', `is the ${HIDDEN} ok?`],
  ['is the bus of the web shop ok?', `is the bus of the ${HIDDEN} ok?`],
])('hides the names in "%s"', (text, hidden) =>
  expect(hideNames(text, mentioned(text))).toBe(hidden),
);

test('a text means the longest of the names that it has, across all topologies', () => {
  const text = 'is the orders database ok?';
  const other = { name: 'Database', named: ['Database'] };
  expect(meantNames(text, [...mentioned(text), other], () => false)).toEqual([
    { name: 'Web shop', named: ['Orders database'] },
  ]);
});

test.each([
  ['is the web orders ok?', ['Web shop']],
  ['is the web ok?', ['Web']],
])('a text with several names means the topology that has all of them: %s', (text, meant) => {
  const all = [{ name: 'Web', named: ['Web'] }, ...mentioned(text)];
  expect(meantNames(text, all, () => false).map(({ name }) => name)).toEqual(meant);
});
