import { describe, expect, it } from '@jest/globals';
import { hashOf, idOfApiKey, isSameHash, makeApiKey } from './api-key.js';

describe('an API key', () => {
  it('carries its id, and differs each time', () => {
    const one = makeApiKey();
    const two = makeApiKey();
    expect(one.key).toMatch(/^csk_[a-z2-7]{12}_[0-9A-Za-z]{43}_[0-9a-f]{8}$/);
    expect(idOfApiKey(one.key)).toBe(one.id);
    expect(one.key).not.toBe(two.key);
    expect(isSameHash(one.hash, hashOf(one.key))).toBe(true);
    expect(isSameHash(one.hash, two.hash)).toBe(false);
  });

  it('is recognised as mistyped by its checksum', () => {
    const { key } = makeApiKey();
    const other = key[20] === 'a' ? 'b' : 'a';
    for (const wrong of [
      '',
      'csk_',
      key.slice(0, -1),
      `${key} `,
      key.slice(0, 20) + other + key.slice(21),
    ])
      expect(idOfApiKey(wrong)).toBeUndefined();
  });
});
