import { expect, it } from '@jest/globals';
import { knownSecrets, rememberSecret } from './known-secrets.js';

it('remembers each secret once, and none that is short', () => {
  for (const value of ['a-long-secret', 'a-long-secret', 'short', '']) rememberSecret(value);
  expect(knownSecrets()).toEqual(['a-long-secret']);
});
