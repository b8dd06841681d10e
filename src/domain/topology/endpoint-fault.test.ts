import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endpointFault } from './endpoint-fault.js';

const RIGHT: [string, string][] = [
  ['service', 'http://localhost'],
  ['service', 'https://user:p%40ss@shop.example.org:8443/health?deep=1#x'],
  ['service', 'HTTP://127.0.0.1:80/'],
  ['service', 'http://[::1]:8080/a b'.replace(' ', '%20')],
  ['service', 'http://my_service:8080'],
  ['service', 'https://bücher.example'],
  ['redis', 'redis://127.0.0.1:6379'],
  ['redis', 'redis://:secret@cache:6379/2'],
  ['redis', 'rediss://user:secret@cache.example.org'],
  ['tcp', 'db:5432'],
  ['tcp', '[::1]:443'],
  ['tcp', '[2001:db8::7:1.2.3.4]:1'],
  ['tls', 'example.org:443'],
  ['dns', 'localhost'],
  ['dns', 'example.org.'],
  ['dns', '_sip._tcp.example.org'],
  ['host', 'whatever it is'],
  ['kafka', 'broker-1:9092,broker-2:9092'],
];
const WRONG: [string, string][] = [
  ['service', 'localhost:8080'],
  ['service', '//localhost'],
  ['service', 'http://'],
  ['service', 'http:///path'],
  ['service', 'http://a b/'],
  ['service', 'http://h:0'],
  ['service', 'http://h:65536'],
  ['service', 'http://h:x'],
  ['service', 'http://999.1.1.1'],
  ['service', 'http://[::1'],
  ['service', 'http://[1:2]'],
  ['service', 'http://[1::2::3]'],
  ['service', 'http://a<b>'],
  ['redis', 'redis:///var/run/redis.sock'],
  ['redis', 'http://cache:6379'],
  ['tcp', 'db'],
  ['tcp', ':5432'],
  ['tcp', 'db:'],
  ['tcp', '::1:443'],
  ['tcp', '[]:443'],
  ['tcp', 'tcp://db:5432'],
  ['tls', 'example.org:443/path'],
  ['dns', 'example.org:53'],
  ['dns', 'a..b'],
  ['dns', '-a.org'],
  ['dns', '127.0.0.1'],
  ['dns', `${'a'.repeat(64)}.org`],
];

test.each(RIGHT)('%s: %s is right', (kind, endpoint) => {
  expect(endpointFault(kind, endpoint)).toBeUndefined();
});

test.each(WRONG)('%s: %s is wrong', (kind, endpoint) => {
  expect(endpointFault(kind, endpoint)).toMatch(/^must (?:be|have) /);
});

test.each(['service', 'redis', 'tcp', 'tls', 'dns'])('requires an endpoint for a %s', (kind) =>
  expect(endpointFault(kind, undefined)).toMatch(/^is required/),
);
test.each(['host', 'process', 'kafka', 'constructor', '__proto__'])(
  'requires no endpoint for a %s',
  (kind) => expect(endpointFault(kind, undefined)).toBeUndefined(),
);

test.each([
  'redis://:x%0d%0aset%20pwned%200%200%203%0d%0aabc%0d%0a@host:11211',
  'redis://u%00:p@host:6379',
  'redis://:p%7F@host:6379',
  'redis://:p%C2%85@host:6379',
  'http://host/a%0Ab',
  'redis://:p\u0007@host:6379',
  'http://host/search?q=a%0Ab',
  'http://host/?a=%1b[2J',
  'http://host/#%0a',
])('C4: refuses control characters in %j', (endpoint) => {
  expect(endpointFault(endpoint.startsWith('http') ? 'service' : 'redis', endpoint)).toMatch(
    /control characters/,
  );
  expect(endpointFault('memcached', endpoint)).toMatch(/control characters/);
});

describe('accepts what a URL parser accepts', () => {
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.stringMatching(/^[a-z0-9.:_[\]-]{1,12}$/),
  );
  const url = fc.tuple(
    fc.constantFrom('http', 'https', 'redis', 'rediss'),
    host,
    fc.oneof(
      fc.constant(''),
      fc.nat(70_000).map((port) => `:${port}`),
    ),
  );

  test('with the same host and port', () => {
    fc.assert(
      fc.property(url, ([scheme, name, port]) => {
        const endpoint = `${scheme}://u:p@${name}${port}/x`;
        if (
          endpointFault(scheme.startsWith('http') ? 'service' : 'redis', endpoint) === undefined
        ) {
          expect(URL.canParse(endpoint)).toBe(true);
          expect(new URL(endpoint).protocol).toBe(`${scheme}:`);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('including every usual host', () => {
    const usual = fc.oneof(
      fc.domain(),
      fc.ipV4(),
      fc.ipV6().map((ip) => `[${ip}]`),
    );
    fc.assert(
      fc.property(usual, fc.integer({ min: 1, max: 65_535 }), (name, port) => {
        expect(endpointFault('tcp', `${name}:${port}`)).toBeUndefined();
        expect(endpointFault('service', `http://${name}:${port}`)).toBeUndefined();
      }),
      { numRuns: 250 },
    );
  });
});

test.each([
  ['service', 'http://x:99999/', 'must have a port from 1 to 65535'],
  ['service', 'http://x:0', 'must have a port from 1 to 65535'],
  ['redis', 'redis://:pw@x:700000', 'must have a port from 1 to 65535'],
  ['tcp', '[::1]:65536', 'must have a port from 1 to 65535'],
  ['tcp', 'x:-1', 'must have a port from 1 to 65535'],
  ['service', 'ftp://x:99999/', expect.stringMatching(/^must be an http/)],
  ['tcp', 'x', expect.stringMatching(/^must be host:port/)],
])('names a wrong port: %s %s', (kind, endpoint, fault) => {
  expect(endpointFault(kind, endpoint)).toEqual(fault);
});
