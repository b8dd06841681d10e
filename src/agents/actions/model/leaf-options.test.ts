import { expect, it } from '@jest/globals';
import type { JsonObject } from '../../../lib/json.js';
import { cutOf } from './leaf-options.js';

const aborted = AbortSignal.abort();
const cut = (options?: JsonObject) =>
  cutOf({ path: '0', type: 'action', name: 'llm-call', ...(options && { options }) } as never, {
    signal: aborted,
  });

it('reads what a tree says about a call', () => {
  const options = {
    model: 'small',
    messages: ['Be short.', { n: 1 }],
    tools: ['look', 7],
    streamTo: ['answer', null],
    budget: 10.2,
    timeoutMs: 500,
  };
  expect(cut(options).options).toEqual({
    model: 'small',
    messages: ['Be short.', '{"n":1}'],
    tools: ['look'],
    streamTo: ['answer'],
    budget: 11,
    timeoutMs: 500,
  });
});

it('ignores values of a wrong type', () => {
  const wrong = {
    model: 7,
    messages: 'x',
    tools: 'look',
    streamTo: 1,
    budget: '9',
    timeoutMs: null,
  };
  expect(cut(wrong).options).toEqual({ messages: [], streamTo: [] });
  expect(cut().options).toEqual({ messages: [], streamTo: [] });
});

it('is not interrupted by its tree if the tree says so', () => {
  expect(cut({ interruptible: false }).signal.aborted).toBe(false);
  expect(cut({}).signal).toBe(aborted);
});
