import { describe, expect, it } from '@jest/globals';
import { converse, RECOVERED } from '../../../../../test/support/incidents/oracle-world.js';

const first = (question: string) => converse([question]).split('\n')[0];

describe('a question whether something is the only one', () => {
  it.each([
    'is it only the orders db?',
    'is it just the orders db that is broken?',
    'is the orders db the only problem?',
    'is it everything or just the orders db?',
    'is it just the orders db or everything?',
  ])('names what is wrong apart from a node: %s', (question) =>
    expect(first(question)).toBe(
      'No. Apart from Orders DB, something is wrong with Storefront, Checkout and Payments.',
    ),
  );

  it.each(['is it just the shop?', 'is it everywhere or only the web shop?'])(
    'names what is wrong apart from a topology: %s',
    (question) =>
      expect(first(question)).toBe(
        'No. Apart from Web shop (topology 11), something is wrong with Billing (topology 13).',
      ),
  );

  it.each([
    ['is everything but the orders db ok?', /^No\. Apart from Orders DB, .* Storefront, /],
    ['everything except inventory ok?', /^No\. Apart from Inventory, /],
    ['is everything apart from the web shop fine?', /^No\. Apart from Web shop .* Billing /],
  ])('leaves out what is excepted: %s', (question, answer) =>
    expect(first(question)).toMatch(answer),
  );

  it('is about the diagnosis that found something if it asks what was', () =>
    expect(converse(['is the web shop ok?', 'was it only payments?'], { runs: RECOVERED })).toMatch(
      /^No\. Apart from Payments, something is wrong with .*\nNothing was found .* The last diagnosis that found something:\n/,
    ));
});
