import { expect, it } from '@jest/globals';
import { knownSecrets, rememberSecret } from './known-secrets.js';

it('remembers each secret once, and none that is short', () => {
  for (const value of ['a-long-secret', 'a-long-secret', 'short', '']) rememberSecret(value);
  expect(knownSecrets()).toEqual(['a-long-secret']);
});

it('forgets the one that was used longest ago for a new one', () => {
  for (let i = 0; i < 1_000; i++) rememberSecret(`secret-number-${i}`);
  const before = knownSecrets();
  rememberSecret('secret-number-0');
  expect(knownSecrets()).toBe(before);
  rememberSecret('one-secret-more');
  const known = knownSecrets();
  expect(known).not.toBe(before);
  expect(known).toHaveLength(1_000);
  expect(known).toEqual(expect.arrayContaining(['secret-number-0', 'one-secret-more']));
  expect(known).not.toContain('secret-number-1');
});
