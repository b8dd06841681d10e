import { describe, expect, it } from '@jest/globals';
import { ask } from '../../../../../test/support/incidents/oracle-questions.js';
import { smallTalk, withoutOpening } from './small-talk.js';

describe('a text without a question', () => {
  it.each([
    ...['thanks', 'Thank you very much!', 'ok, thanks a lot :)'].map((text) => [text, /^You are/]),
    ...['ok', 'great!', 'Alright.'].map((text) => [text, /^All right\./]),
    ...['hello', 'hello there', 'Good evening, everyone!', 'hi, who are you?', 'help'].map(
      (text) => [text, /^I answer questions about/],
    ),
    ...['what can I ask?', 'what do you mean?'].map((text) => [text, /^I answer questions about/]),
  ] as [string, RegExp][])('gets its own answer, without a look-up: %s', (text, answer) => {
    const { text: said, called } = ask(text);
    expect(said).toMatch(answer);
    expect(called).toEqual([]);
  });

  it.each(['no', '?', '🙂', 'yes', 'so?'])('is not understood: %s', (text) =>
    expect(smallTalk(text, 'help')).toBeUndefined(),
  );
});

describe('a question after an opening', () => {
  it.each([
    ['hi! what is broken?', 'what is broken?'],
    ['thanks, and what about the shop?', 'and what about the shop?'],
    ['ok so why?', 'why?'],
    ['good morning - is it ok?', 'is it ok?'],
    ['hello is down', 'hello is down'],
    ['hello there, is it ok?', 'is it ok?'],
    ['hello there is a fault', 'there is a fault'],
  ])('is what follows: %s', (text, rest) => expect(withoutOpening(text)).toBe(rest));

  it('is answered', () => {
    expect(ask('Hello, what is broken right now?').text).toMatch(/^The latest verdict of every/);
    expect(ask('what can you tell me about the blog?').text).toMatch(/topology 2 \(Blog\)/);
  });
});
