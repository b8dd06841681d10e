import { describe, expect, it, test } from '@jest/globals';
import { nodeOf, testCertificate } from '../../test/support/loopback.js';
import {
  numberAttribute,
  slowMsOf,
  textAttribute,
  timeoutMsOf,
  trustOptionsOf,
} from './attributes.js';
import type { JsonObject } from '../lib/json.js';

const node = (attributes: JsonObject) => nodeOf('service', 'http://a/', attributes);

describe('a number', () => {
  it('has a default, and lies within its bounds', () => {
    expect(numberAttribute(node({}), 'x', 7)).toBe(7);
    expect(numberAttribute(node({ x: null }), 'x', 7)).toBe(7);
    expect(numberAttribute(node({ x: 3 }), 'x', 7, [1, 5])).toBe(3);
  });

  it.each([['3'], [-1], [6], [true], [[]]])('is not %j', (x) => {
    expect(() => numberAttribute(node({ x }), 'x', 7, [0, 5])).toThrow(
      /^attribute x of node target must be a number from 0 to 5, not /,
    );
  });

  it('without an upper bound says so', () => {
    expect(() => numberAttribute(node({ x: -1 }), 'x', 7)).toThrow(
      /a number of at least 0, not -1$/,
    );
  });
});

test('a text is not empty', () => {
  expect(textAttribute(node({}), 'x')).toBeUndefined();
  expect(textAttribute(node({ x: 'a' }), 'x')).toBe('a');
  for (const x of ['', 7, {}])
    expect(() => textAttribute(node({ x }), 'x')).toThrow(/must be a text that is not empty/);
});

test('times have their defaults and bounds', () => {
  expect([timeoutMsOf(node({})), slowMsOf(node({}))]).toEqual([5_000, 1_000]);
  expect(() => timeoutMsOf(node({ timeoutMs: 99 }))).toThrow(/from 100 to 10000/);
});

describe('what TLS trusts', () => {
  it('is the well-known issuers, the name of the host', () => {
    expect(trustOptionsOf(node({}))).toEqual({
      trustSelfSigned: false,
      ca: undefined,
      serverName: undefined,
    });
  });

  it('may be a certificate as text, never a path', () => {
    const { cert } = testCertificate('valid');
    expect(trustOptionsOf(node({ ca: String(cert) })).ca).toBe(String(cert));
    for (const ca of ['/etc/passwd', 'text'])
      expect(() => trustOptionsOf(node({ ca }))).toThrow(/ca .* a certificate as PEM text/);
  });

  it('is true or false', () => {
    expect(() => trustOptionsOf(node({ trustSelfSigned: 'yes' }))).toThrow(/true or false/);
  });
});
