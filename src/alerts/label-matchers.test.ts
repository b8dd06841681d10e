import { describe, expect, it } from '@jest/globals';
import { fitsPattern, readSelector } from './label-matchers.js';

describe('fitsPattern', () => {
  it.each([
    ['shop', 'shop', true],
    ['shop', 'sho', false],
    ['', '', true],
    ['anything', '*', true],
    ['', '*', true],
    ['checkout-api', 'checkout*', true],
    ['checkout-api', '*api', true],
    ['checkout-api', '*out*p*', true],
    ['aa', 'a*a', true],
    ['a', 'a*a', false],
    ['checkout-api', '*x*', false],
  ])('compares %j with %j: %s', (text, pattern, fits) =>
    expect(fitsPattern(text, pattern)).toBe(fits),
  );

  it('is fast for a pattern of many stars', () => {
    expect(fitsPattern('a'.repeat(1_000), `${'*a'.repeat(400)}*b`)).toBe(false);
  });
});

describe('readSelector', () => {
  const labels = { job: 'api', zone: 'eu-1', path: 'a"b' };
  it.each([
    ['job="api"', true],
    ['{job="api", zone="eu-1",}', true],
    ['up{job="api"}', true],
    ['job="web"', false],
    ['job!="web"', true],
    ['job=~"api|web"', true],
    ['zone=~"eu-.*"', true],
    ['zone!~"eu-.*"', false],
    ['missing=""', true],
    ['path="a\\"b"', true],
    ['missing=~".+"', false],
    ['missing=~".*"', true],
    ['missing!~".+"', true],
    ['job=~".+"', true],
    ['job=~"a.+i"', true],
    ['job=~"a.+pi"', false],
    ['zone=~".+.+.+.+.*"', true],
    ['zone=~".+.+.+.+.+"', false],
    ['constructor=~"a.*"', false],
    ['toString=""', true],
    ['__proto__!="a"', true],
  ])('tests %s', (selector, fits) => expect(readSelector(selector)?.test(labels)).toBe(fits));

  it.each(['', '{}', 'job', 'job=api', 'job=~"(a+)+$"', 'job=~"[a-z]+"', 'job="api" and x'])(
    'does not test %j',
    (selector) => expect(readSelector(selector)).toBeUndefined(),
  );
});
