import { describe, expect, test } from '@jest/globals';
import { processorMs } from '../../test/support/processes/processor-time.js';
import { mapTexts, redactSecrets, redactSecretsDeep } from './redact-secrets.js';

describe('redactSecrets', () => {
  test.each([
    ['password of a URL', 'at redis://user:hunter2@cache:6379', 'at redis://user:***@cache:6379'],
    ['bearer token', 'Authorization: Bearer abc.def-ghi123', 'Authorization: Bearer ***'],
    ['JSON Web Token', 'got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'got ***'],
    ['key of AWS', 'id AKIAIOSFODNN7EXAMPLE used', 'id *** used'],
    ['key of a provider', 'with sk-0123456789abcdefghij', 'with ***'],
    [
      'key of this service',
      `my key csk_${'a'.repeat(12)}_${'B1'.repeat(21)}c_01234567.`,
      'my key ***.',
    ],
    ['cut key of this service', `x_csk_${'a'.repeat(12)}_B1c`, 'x_***'],
    ['assignment', 'DB_PASSWORD=hunter2 retries=3', 'DB_PASSWORD=*** retries=3'],
    ['name of a password before a word', 'password: letmein', 'password: ***'],
    ['value with a space before it', 'api_key: k-1a2b3c', 'api_key: ***'],
    ['cookie', 'Set-Cookie: id=abc; Path=/', 'Set-Cookie: ***'],
    ['header of basic authentication', 'Basic dXNlcjpodW50ZXIy', 'Basic ***'],
    ['key of Google', `k AIza${'a'.repeat(35)} k`, 'k *** k'],
    ['key of GitHub', `k github_pat_${'a'.repeat(22)} k`, 'k *** k'],
    ['key of Stripe', `k sk_live_${'a1'.repeat(12)} k`, 'k *** k'],
    ['webhook of Slack', 'hooks.slack.com/services/T0/B0/abcdefgh', 'hooks.slack.com/services/***'],
    [
      'signed URL',
      'GET https://h/o?X-Amz-Signature=ab12&x=1',
      'GET https://h/o?X-Amz-Signature=***&x=1',
    ],
    ['JSON field', '{"api_key": "k-12345", "n": 1}', '{"api_key": "***", "n": 1}'],
    [
      'private key',
      'a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b',
      'a *** b',
    ],
  ])('replaces a %s', (_, text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted);
    expect(redactSecrets(redacted)).toBe(redacted);
  });

  test.each([
    'token bucket is empty',
    'authentication failed for user shop',
    'max_tokens=4096',
    "Access denied for user 'a'@'h' (using password: NO)",
    'refused (using password: YES).',
    'invalid token: expired at noon',
    'basic authentication is off',
    'bearer authentication',
  ])('leaves "%s" as it is', (text) => expect(redactSecrets(text)).toBe(text));

  test.each([
    'eyJ-',
    'eyJ-eyJaaaaaaaaaa.',
    'eyJaaaaaaaaaa.a-',
    'eyJ.eyJ.',
    'sk-',
    'basic ',
    'cookie:',
    '-----BEGIN PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----"',
    'password ',
    'a://',
    'token:',
    'a://b:',
    'https://',
    '?key=',
    'secret_',
  ])('takes linear time on many %j', (part) => {
    const msOf = (characters: number) => {
      const text = part.repeat(characters / part.length);
      const before = processorMs();
      for (let i = 0; i < 262_144 / characters; i++) redactSecrets(text);
      return processorMs() - before;
    };
    msOf(512);
    // As many characters, in one text and in 512.
    expect(msOf(262_144)).toBeLessThan(6 * msOf(512) + 50);
  });

  test('replaces a token behind a dash, a long one, and a key whose end was cut', () => {
    const token = `eyJ${'a'.repeat(5_000)}.eyJ${'b'.repeat(5_000)}.c2ln`;
    expect(redactSecrets(`x-eyJ-${token}, eyJ.a.b`)).toBe('x-***, eyJ.a.b');
    const key = (end: string) => `-----BEGIN PRIVATE KEY-----\nMII\n${end}`;
    expect(redactSecrets(key(key('-----END PRIVATE KEY-----')))).toBe('******');
  });
});

test('redactSecretsDeep replaces values whose key, or variable, names a credential', () => {
  const pod = {
    env: [
      { name: 'DB_PASSWORD', value: 'hunter2' },
      { name: 'DB_HOST', value: 'db' },
    ],
    headers: { authorization: 'abc', accept: 'text/plain' },
    replicas: 2,
  };
  expect(redactSecretsDeep(pod)).toEqual({
    env: [
      { name: 'DB_PASSWORD', value: '***' },
      { name: 'DB_HOST', value: 'db' },
    ],
    headers: { authorization: '***', accept: 'text/plain' },
    replicas: 2,
  });
});

test('mapTexts changes texts at any depth, and no keys', () => {
  const value = { a: ['x', 1, null, { x: 'x' }], b: undefined, x: true };
  expect(mapTexts(value, (text) => `${text}!`)).toEqual({
    a: ['x!', 1, null, { x: 'x!' }],
    b: undefined,
    x: true,
  });
});
