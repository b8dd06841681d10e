import { expect, test } from '@jest/globals';
import type { NextStep } from '../finding.js';
import { fewFirst, stepText } from './step-text.js';

test.each([
  [
    { text: 'Restart it.', access: 'change', command: 'a `b`' },
    '**Change**: Restart it. `` a `b` ``',
  ],
  [{ text: 'Read its log.', access: 'read' }, '**Look**: Read its log.'],
  [
    { text: 'Pray.', access: 'read', origin: 'agent' },
    '**Look**: Pray. (proposed by an agent, not checked)',
  ],
] as const)('%j is %s', (step, text) => expect(stepText(step)).toBe(text));

test('a short list has the first step of each node', () => {
  const step = (text: string): NextStep => ({
    text,
    access: 'read',
    ...(text.startsWith('-') ? {} : { node: text.slice(0, 1) }),
  });
  const order = (texts: string[], few: number) =>
    fewFirst(texts.map(step), few).map(({ text }) => text);
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', '-', 'c1'];
  expect(order(all, 4)).toEqual(['a1', 'b1', '-', 'c1', 'a2', 'a3', 'b2']);
  expect(order(all, 5)).toEqual(['a1', 'a2', 'b1', '-', 'c1', 'a3', 'b2']);
  expect(order(all, 2)).toEqual(['a1', 'b1', 'a2', 'a3', 'b2', '-', 'c1']);
  expect(order(all, 9)).toEqual(all);
});
