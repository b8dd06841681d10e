import { expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { processorMs } from '../../test/support/processes/processor-time.js';
import { redactValues } from './redact-values.js';
import { anyText } from '../../test/support/generators/any-text.js';

const SECRET = 'h√nter2 "&" <pw>';
const redact = redactValues([SECRET, 'another-secret']);
const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['percent-encoded', encodeURIComponent(SECRET)],
  ['in a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
  ['in lower-case percent codes', encodeURIComponent(SECRET).toLowerCase()],
  [
    'in HTML',
    SECRET.replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;'),
  ],
  ['in hexadecimal digits', Buffer.from(SECRET).toString('hex')],
  ['in upper-case hexadecimal digits', Buffer.from(SECRET).toString('hex').toUpperCase()],
])('replaces a value %s', (_, form) => {
  expect(redact(`before ${form} after ${form}`)).toBe('before *** after ***');
});

test.each(['', 'u', 'us', 'use', 'user:', 'Aladdin:'])(
  'replaces a value in base64 behind %j',
  (before) => {
    for (const after of ['', '!', '@host', '\n\n\n'])
      for (const encoded of [
        base64(before + SECRET + after),
        Buffer.from(before + SECRET + after).toString('base64url'),
      ]) {
        const shown = redact(`Authorization: Basic ${encoded}`);
        expect(shown).toContain('***');
        const rest = shown.replace(/.*Basic /, '').replace('***', '');
        expect(rest.length).toBeLessThanOrEqual(base64(before).length + base64(after).length + 4);
      }
  },
);

it('takes the longest of values that begin alike', () => {
  const both = redactValues(['password', 'password-of-shop']);
  expect(both('password-of-shop, password')).toBe('***, ***');
});

it.each(['', '…'])('replaces the beginning of a value where a text was cut: %j', (end) => {
  expect(redact(`it is another-sec${end}`)).toBe(`it is ***${end}`);
  expect(redact(`it is another-secre${end}`)).toBe(`it is ***${end}`);
  expect(redact(`another-sec${end} and more`)).toBe(`another-sec${end} and more`);
});

it('ignores values that are too short', () => {
  expect(redactValues(['abc', ''])('abc abcdef')).toBe('abc abcdef');
});

it('leaves nothing of a value in any text', () => {
  fc.assert(
    fc.property(
      anyText({ minLength: 6, maxLength: 40 }),
      fc.string(),
      fc.string(),
      (secret, before, after) => {
        fc.pre(!'***'.includes(secret));
        const shown = redactValues([secret])(`${before}${secret}${after}`);
        expect(shown.replaceAll('***', '\0')).not.toContain(secret);
      },
    ),
  );
});

it.each([
  ['are alike but for their ends', (i: number) => `aaaaaa-secret-${i}-of-many`, 'aaaaaa-secret-'],
  ['begin alike', (i: number) => `secret${i}-of-many`, 'secret'],
  ['have one character', (i: number) => 'a'.repeat(6 + (i % 60)), 'aaaab'],
])('takes time that does not grow with the number of values that %s', (_, valueOf, part) => {
  const msOf = (count: number) => {
    const redactMany = redactValues(Array.from({ length: count }, (_each, i) => valueOf(i)));
    const text = part.repeat(65_536 / part.length);
    redactMany(text);
    const before = processorMs();
    for (let i = 0; i < 4; i++) redactMany(text);
    return processorMs() - before;
  };
  expect(msOf(5_000)).toBeLessThan(8 * msOf(50) + 20);
});

it('takes the beginning of a longer value where a text was cut behind a shorter one', () => {
  const both = redactValues(['password', 'password-of-shop', 'password-of-office']);
  expect(both('password-of-')).toBe('***');
  expect(both('password-of-…')).toBe('***…');
  expect(both('password-of-…, password')).toBe('***-of-…, ***');
});
