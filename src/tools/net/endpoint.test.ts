import { describe, expect, it, test } from '@jest/globals';
import { nodeOf } from '../../../test/support/loopback.js';
import {
  clean,
  credentialsOf,
  hostOf,
  hostPortOf,
  showHostPort,
  showUrl,
  urlOf,
} from './endpoint.js';

const at = (endpoint?: string) => nodeOf('tcp', endpoint);

describe('an endpoint', () => {
  it.each([
    ['db:5432', { host: 'db', port: 5432 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['https://shop.example/x', { host: 'shop.example', port: 443 }],
    ['redis://u:p@cache', { host: 'cache', port: 6379 }],
    ['tcp://h:1', { host: 'h', port: 1 }],
    ['tcp://h', undefined],
    ['h:0', undefined],
    ['', undefined],
    [undefined, undefined],
    ['redis://:x%0d%0aset@h:11211', undefined],
  ])('%j listens at %j', (endpoint, expected) =>
    expect(hostPortOf(at(endpoint))).toEqual(expected),
  );

  it('is a URL of given protocols only', () => {
    expect(urlOf(at('http://h/'), 'http:', 'https:')?.host).toBe('h');
    expect(urlOf(at('ftp://h/'), 'http:', 'https:')).toBeUndefined();
    expect(urlOf(at('h:80'), 'http:')).toBeUndefined();
  });

  it('has a host in any form', () => {
    expect(['[::1]:80', 'http://a.b/', 'c:1'].map((each) => hostOf(at(each)))).toEqual([
      '::1',
      'a.b',
      'c',
    ]);
  });
});

test('an address is shown with brackets around IPv6, a URL without secrets', () => {
  expect(showHostPort({ host: '::1', port: 80 })).toBe('[::1]:80');
  expect(showUrl(new URL('http://u:p@h:1/a?token=x'))).toBe('http://h:1/a?…');
  expect(showUrl(new URL(`http://h/${'x'.repeat(999)}`))).toHaveLength(300);
});

test('credentials are decoded, and a stray percent sign is meant literally', () => {
  expect(credentialsOf(new URL('http://h/'))).toBeUndefined();
  expect(credentialsOf(new URL('http://a%20b:c%2F@h/'))).toEqual({ user: 'a b', password: 'c/' });
  expect(credentialsOf(new URL('http://u:50%@h/'))).toEqual({ user: 'u', password: '50%' });
});

describe('L2: text of a target', () => {
  const node = at('redis://:s3cret%2Fone@h:1');
  it.each([
    ['of several lines', 'a\r\n\tb', 'a b'],
    ['that steers a terminal', '\u001b[2Ja\u009b31mb\u202ec', '[2Ja 31mb c'],
    ['with credentials in a URL', 'see redis://u:p@h/ now', 'see redis://***@h/ now'],
    ['that echoes the password', 'no s3cret/one, no s3cret%2Fone', 'no ***, no ***'],
    ['that is long', 'x'.repeat(400), `${'x'.repeat(299)}…`],
  ])('%s is one plain line', (_, text, expected) => expect(clean(text, node)).toBe(expected));
});
