import { describe, expect, it } from '@jest/globals';
import { ask, SPOKEN } from '../../../../../test/support/incidents/oracle-questions.js';
import { converse } from '../../../../../test/support/incidents/oracle-world.js';
import { questionsIn } from './questions.js';

describe('the questions of a message', () => {
  it.each([
    ['is it down? who is affected?', ['is it down', 'who is affected?']],
    ['is payments down and since when?', ['is payments down', 'since when?']],
    ['what happened, is it fixed?', ['what happened', 'is it fixed?']],
    ['is payments down? and checkout?', ['is payments down', 'and checkout?']],
  ])('are told apart: %s', (message, questions) => expect(questionsIn(message)).toEqual(questions));

  it.each([
    'is the shop down??',
    'are payments and checkout down?',
    'what do payments and checkout need?',
    'I restarted the cache and is it back?',
    'diagnose the shop and why is it slow?',
    'is it ok? asking for a friend',
    'why? who? when?',
  ])('are one: %s', (message) => expect(questionsIn(message)).toEqual([message]));
});

describe('a message with two questions', () => {
  it('gets the answers to both', () => {
    const text = converse(['is the orders db down? who is affected?']);
    expect(text).toMatch(/^Yes, at .*\nOrders DB is the root cause: /);
    expect(text).toMatch(/\nPayments depends on Orders DB, .*\nDownstream of a fault: /);
    expect(converse(['is the blog ok and is the orders db down?'])).toMatch(
      /^Yes, at .* of topology 12 .*\nYes, at .* of topology 11 /s,
    );
  });

  it('takes "it" in the second one for what the first one names', () =>
    expect(converse(['is checkout down and is it the root cause?'])).toMatch(
      /^Yes, at .*\nNo\.\nCheckout: answers 502/s,
    ));

  it('may contain steps', () => {
    const { text, plan } = ask('who is affected and how do I fix it?', { said: SPOKEN });
    expect(plan).toMatchObject({ isMarkdown: true });
    expect(text).toMatch(/^Payments is the root cause.*\nThe report of this run suggests no/s);
  });

  it('is not understood if one of them is not', () =>
    expect(converse(['is the blog ok and is the sky blue?'])).toMatch(
      /^I (?:do not understand that\.|know no node)/,
    ));
});
