import { expect, it } from '@jest/globals';
import { countWait, waitTotals, type ProviderWaits } from './provider-waits.js';

const wait = (model: string, retry_in_ms = 4_000) => ({
  code: 'RATE_LIMITED',
  message: 'The provider limits the rate of calls (429).',
  retryable: true,
  retry_in_ms,
  model,
});

it('shows the first wait for each model, counts the others, and says the total once', () => {
  let waits: ProviderWaits = {};
  const shown = ['big', 'big', 'small', ...Array<string>(8).fill('big')].map((model) => {
    const [next, isShown] = countWait(waits, wait(model));
    waits = next;
    return isShown;
  });
  expect(shown.filter(Boolean)).toHaveLength(2);
  expect(waitTotals(waits)).toEqual([
    {
      ...wait('big'),
      message: 'Waited 10 times for the provider of "big", 40 s in all.',
      count: 10,
    },
  ]);
});

it.each([
  ['of another subject', { code: 'LIMIT_WARNING', message: 'x' }],
  ['of a model that takes the place of another at once', wait('small', 0)],
])('shows every warning %s', (_, warning) => {
  const waits = { small: { count: 3, ms: 1, last: warning } };
  expect(countWait(waits, warning)).toEqual([waits, true]);
});
