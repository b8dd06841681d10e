import { expect, it } from '@jest/globals';
import { redactSecrets } from './redact-secrets.js';
import { DETECTORS, redactions, type Detector } from './redactions.js';

it.each<[Detector, string]>([
  ['url', 'postgres://shop:hunter2@db/shop'],
  ['private_key', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----'],
  ['cookie', 'Set-Cookie: sid=31d4d96e407aad42'],
  ['authorization', 'Bearer c2VjcmV0c2VjcmV0MTIz'],
  ['jwt', `eyJ${'a'.repeat(12)}.b.c`],
  ['provider_key', 'AKIA1234567890ABCDEF'],
  ['named', 'password=hunter2'],
])('counts what the detector %s finds', (detector, text) => {
  const before = new Map(redactions);
  expect(redactSecrets(text)).not.toBe(text);
  const grown = DETECTORS.filter((name) => redactions.get(name) !== before.get(name));
  expect(grown).toEqual([detector]);
});

it('counts no text that stays as it is', () => {
  const before = new Map(redactions);
  expect(redactSecrets('the token has expired')).toBe('the token has expired');
  expect(new Map(redactions)).toEqual(before);
});
