import { expect, it } from '@jest/globals';
import { readSelector } from './label-matchers.js';
import { SelectorIndex } from './selector-index.js';

const indexOf = (...texts: string[]) =>
  new SelectorIndex(
    texts.flatMap((text) => {
      const selector = readSelector(text);
      return selector ? [{ ...selector, text }] : [];
    }),
  );

it('finds the selectors that fit, in their order', () => {
  const index = indexOf(
    'zone=~"eu-.*"',
    'job="api"',
    'job="web"',
    'team=""',
    'job="api", zone="us"',
  );
  const { found } = index.fitting({ job: 'api', zone: 'eu-1' });
  expect(found.map(({ text }) => text)).toEqual(['zone=~"eu-.*"', 'job="api"', 'team=""']);
});

it('tests only selectors that name a value of the labels, by their rarest value', () => {
  const pods = Array.from({ length: 9_000 }, (_, i) => `job="pods", pod="p${i}"`);
  const { found, tested } = indexOf(...pods).fitting({ job: 'pods', pod: 'p77' });
  expect([found.map(({ text }) => text), tested]).toEqual([['job="pods", pod="p77"'], 1]);
});
