import { expect, it } from '@jest/globals';
import type { PastMessage } from '../chat/chat.js';
import { fitHistory } from './fit-history.js';

const said = (count: number): PastMessage[] =>
  Array.from({ length: count }, (_, i): PastMessage => ({
    role: i % 2 ? 'assistant' : 'user',
    text: `${i}`.padEnd(40, '.'),
  }));

it('keeps all of it if it fits', () => {
  const history = said(6);
  expect(fitHistory(history, 600)).toBe(history);
  expect(fitHistory([], 0)).toEqual([]);
});

it('keeps the latest whole exchanges and counts the others', () => {
  const kept = fitHistory(said(6), 500);
  expect(kept.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(kept[0]?.text).toMatch(
    /^\[2 earlier messages of this conversation were left out, to save room\]\n\n2\.\.\./,
  );
  expect(fitHistory(said(6), 399)).toHaveLength(2);
  expect(fitHistory(said(6), 10)).toEqual([
    { role: 'user', text: '[6 earlier messages of this conversation were left out, to save room]' },
  ]);
});
