import { expect, it } from '@jest/globals';
import type { Usage } from '../domain/events/event.js';
import type { AnswerCall, TurnAnswer } from '../formats/shared/answer-of.js';
import type { Exchange } from './conversation.js';
import { hasRead, historyOf } from './history.js';

const path = (...questions: string[]): [string, Exchange][] =>
  questions.map((question, i) => [
    `c~${i}`,
    { parent: i === 0 ? null : `c~${i - 1}`, runId: `r${i}`, question, at: i },
  ]);
const usage = { total_tokens: 3 } as Usage;
const call = (tool: string): AnswerCall => ({
  tool_call_id: 't1',
  tool,
  status: 'ok',
  duration_ms: 1,
});
const answers = (...contents: (string | TurnAnswer)[]): Map<string, TurnAnswer> =>
  new Map(
    contents.map((content, i) => [
      `c~${i}`,
      typeof content === 'string' ? { content, status: 'completed', partial: false } : content,
    ]),
  );

it('is what was asked and answered, from the root on', () => {
  expect(historyOf(path('1?', '2?'), answers('One.', 'Two.'))).toEqual([
    { role: 'user', text: '1?' },
    { role: 'assistant', text: 'One.' },
    { role: 'user', text: '2?' },
    { role: 'assistant', text: 'Two.' },
  ]);
  expect(historyOf([], answers())).toEqual([]);
});

it('marks an answer that was cut off, however short it is', () => {
  const cut = (content: string): TurnAnswer => ({ content, status: 'failed', partial: true });
  const texts = historyOf(path('1?', '2?', '3?'), answers(cut('So far'), cut(''))).map(
    ({ text }) => text,
  );
  const words = '(This answer was cut off.)';
  expect(texts).toEqual(['1?', `So far\n\n${words}`, '2?', words, '3?', words]);
});

it('has words for a turn that ended without an answer: models take no empty message', () => {
  const [, said] = historyOf(path('1?'), answers(''));
  expect(said).toEqual({ role: 'assistant', text: '(There was no answer.)' });
});

it('is the latest of a long conversation, whole exchanges of it', () => {
  const long = 'x'.repeat(25_000);
  const said = historyOf(path('1?', '2?', '3?'), answers(long, long, long));
  expect(said.map(({ text }) => text.slice(0, 2))).toEqual(['2?', 'xx', '3?', 'xx']);
  expect(historyOf(path('1?'), answers('x'.repeat(60_000)))).toEqual([]);
});

it.each<[string, boolean, Omit<TurnAnswer, 'status' | 'partial'>]>([
  ['no call', false, { content: 'Well.', usage }],
  ['a reminder', false, { content: 'Well.', usage, tool_calls: [call('remind_self')] }],
  ['a call', true, { content: 'x', usage, tool_calls: [call('remind_self'), call('get_run')] }],
  ['a call and no answer', true, { content: '', usage, tool_calls: [call('get_run')] }],
  ['calls that are not known', true, { content: 'Well.' }],
  ['no answer', false, { content: '' }],
])('knows an exchange with %s', (_, expected, answer) => {
  const whole = { status: 'completed', partial: false } as const;
  const before = { ...whole, content: 'Well.', usage };
  expect(hasRead([before, { ...whole, ...answer }])).toBe(expected);
});
