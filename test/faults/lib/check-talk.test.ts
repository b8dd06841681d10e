import { expect, test } from '@jest/globals';
import { checkTalk } from './check-talk.js';

const talk = {
  id: 't',
  caller: 'c',
  turns: [
    { message: 'a?', runId: 'r1' },
    { message: 'b?', runId: 'r2' },
  ],
};
const pair = (question: string, run_id: string) => [
  { role: 'user', content: question, run_id, partial: false },
  { role: 'assistant', content: `${question} yes`, run_id, partial: false },
];
const one = pair('a?', 'r1');
const two = pair('b?', 'r2');

test('accepts a conversation that has every message and answer once', () => {
  expect(checkTalk(talk, { messages: [...one, ...two] })).toEqual([]);
});

test.each([
  ['a lost message', [...two]],
  ['a message twice', [...one, ...one, ...two]],
  ['another order', [...two, ...one]],
  ['an answer of another run', [...one, two[0], { ...two[1], run_id: 'r1' }]],
  ['an empty answer', [...one, two[0], { ...two[1], content: '' }]],
  ['half an answer', [...one, two[0], { ...two[1], partial: true }]],
])('finds %s', (_, messages) => {
  expect(checkTalk(talk, { messages })).not.toEqual([]);
});

test('finds a lost conversation', () => {
  expect(checkTalk(talk, undefined)).toEqual(['conversation t: it is not there']);
});
