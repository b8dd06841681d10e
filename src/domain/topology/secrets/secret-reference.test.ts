import { expect, it } from '@jest/globals';
import { endpointFault } from '../endpoint-fault.js';
import { referencesIn, replaceReferences, withoutReferences } from './secret-reference.js';

it('finds references, and nothing that only looks like one', () => {
  const text =
    'redis://u:${secret:A.b-c}@h/${env:X}?a=${file:/run/x} ${secret:} ${other:A} $secret:A}';
  expect(referencesIn(text).map(({ kind, name }) => [kind, name])).toEqual([
    ['secret', 'A.b-c'],
    ['env', 'X'],
    ['file', '/run/x'],
  ]);
  expect(replaceReferences('${env:A}-${env:B}', (one) => one.slice(6, 7))).toBe('A-B');
});

it.each([
  ['redis', 'redis://:${secret:REDIS_PASSWORD}@h:6379'],
  ['service', 'https://u:${file:/run/secrets/shop}@shop.example/x?token=${env:TOKEN}'],
])('takes an endpoint of kind %s with references', (kind, endpoint) => {
  expect(endpointFault(kind, endpoint)).toBeUndefined();
  expect(withoutReferences(endpoint)).not.toContain('$');
});
