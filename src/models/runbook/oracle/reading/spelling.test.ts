import { describe, expect, it } from '@jest/globals';
import { SPOKEN, ask } from '../../../../../test/support/incidents/oracle-questions.js';
import { corrected, correctionText } from './spelling.js';

describe('a misspelt question', () => {
  it.each([
    ['whats brokn right now', /^I read "brokn" as "broken"\.\nThe latest verdict of every/],
    [
      'shwo me the evidance',
      /^I read "shwo" as "show" and "evidance" as "evidence"\.\nFrom the log/,
    ],
    ['list the last two rnus', /^I read "rnus" as "runs"\.\nThe last 2 diagnoses/],
    ['what is wrong with chekout?', /^I read "chekout" as "checkout"\.\nCheckout: answers 502/],
    [
      'is teh chekout down',
      /^I read "teh" as "the" and "chekout" as "checkout"\.\nYes, at .*\nCheckout: /,
    ],
    [
      'whats worng with chekcout?',
      /^I read "worng" as "wrong" and "chekcout" as "checkout"\.\nCheckout: answers 502/,
    ],
    ['is paymnts slwo?', /^I read "slwo" as "slow" and "paymnts" as "payments"\./],
    ['how do i fx the checkout', /^I read "fx" as "fix"\.\n.*for Checkout\.\nCheckout: /],
    ['why is paymetns broken?', /^I read "paymetns" as "payments"\.\nPayments is the root cause/],
  ])('is answered, and says what was read: %s', (question, answer) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(answer),
  );

  it.each([
    ['a word that is like none', 'what is wrong with zzyzx?', /^I know no node called "zzyzx"/],
    ['a name', 'what is wrong with the catalog?', /^Nothing was found to be wrong with Catalog/],
    ['a verb of what people do', 'should we scale it?', /^No next step of the report is to scale/],
    ['an English word', 'what is the phrase?', /^I do not understand/],
    ['an English word', 'list the cases', /^I do not understand/],
    [
      'a text of many such words',
      'lsit hte lsat rnus plaese nwo fr chekout',
      /^I do not understand/,
    ],
  ])('is not: %s', (_, question, answer) =>
    expect(ask(question, { said: SPOKEN }).text).toMatch(answer),
  );

  it('is corrected word by word, not within words', () => {
    const way = [['rn', 'run'] as const];
    expect(corrected('rn and turn, rn.', way)).toBe('run and turn, run.');
    expect(correctionText(way)).toBe('I read "rn" as "run".');
  });
});
