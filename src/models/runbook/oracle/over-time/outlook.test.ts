import { describe, expect, it } from '@jest/globals';
import {
  BILLING,
  BLOG,
  converse,
  RECOVERED,
  REPORTS,
  USUAL,
  WEB_SHOP,
} from '../../../../../test/support/incidents/oracle-world.js';
import { run } from '../../../../../test/support/incidents/oracle-questions.js';

describe('a question about what will be', () => {
  it.each([
    'will it fix itself',
    'will the orders db recover?',
    'when will it be back',
    'whats the eta',
    'how long will it take?',
  ])('is answered with what was measured: %s', (question) =>
    expect(converse(["what's wrong with the shop?", question])).toMatch(
      /^I cannot tell: measurements show what was, not what will be\.\n.*Orders DB/,
    ),
  );

  it('is answered with how often it was, if it asks about a repetition', () =>
    expect(converse(['what is wrong with payments?', 'will it happen again?'])).toMatch(
      /^I cannot tell: .*\nSomething was wrong with Payments in the last diagnosis/,
    ));
});

describe('a question whether something is stable', () => {
  const often = [...RECOVERED, run(5, '05', REPORTS.shop, WEB_SHOP)];
  const blog = [4, 3, 2, 1].map((n) => run(n, `${n}0`, REPORTS.blog, BLOG));

  it.each(['is it stable?', 'is the web shop stable?', 'is it really stable again?'])(
    'is not answered by one measurement: %s',
    (question) =>
      expect(converse(['is the web shop ok?', question], { runs: often })).toMatch(
        /^I cannot tell yet\. Something was wrong with Web shop in 2 of the last 3 diagnoses, since 2026-11-22 08:05:00 UTC; not in the latest\.\nA single measurement does not show/,
      ),
  );

  it.each([
    [
      'is the orders db stable?',
      often,
      /^I cannot tell yet\. Something was wrong with Orders DB in 2/,
    ],
    ['is the orders db flaky?', often, /^Yes\. Something was wrong/],
    ['is the inventory stable?', often, /^Yes, so far\. Nothing was found .* the last 3 diagnoses/],
    ['is the orders db stable?', USUAL, /^No\. Something was wrong with Orders DB in the only/],
    ['is the blog stable?', USUAL, /^I cannot tell\. Nothing was found .* in the only diagnosis/],
    ['is the blog stable?', blog, /^Yes, so far\. /],
    ['is the blog unstable?', blog, /^No, not so far\. /],
  ])('is answered by the last diagnoses: %s', (question, runs, answer) =>
    expect(converse([question], { runs })).toMatch(answer),
  );

  it('is not answered with yes or no of all topologies', () => {
    expect(converse(['is everything stable?'])).toMatch(/^The latest verdict of every topology:/);
    expect(BILLING.nodes).toHaveLength(3);
  });
});

describe('a follow-up to a question about all topologies', () => {
  it.each(['are we back?', 'are we good?', 'is it over?'])(
    'is about all of them: %s',
    (question) => {
      const text = converse(['is the blog ok?', 'is everything down?', question]);
      expect(text).toMatch(/^No\.\nThe latest verdict of every topology:/);
    },
  );

  it('is about the only one with a root cause', () =>
    expect(
      converse(['is the blog ok?', 'is everything down?', 'why?'], { runs: USUAL.slice(1) }),
    ).toMatch(/^Root cause: Orders DB/));
});
