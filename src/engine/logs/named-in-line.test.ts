import { describe, expect, test } from '@jest/globals';
import { nodesNamedInLine } from './named-in-line.js';

const node = (id: string, endpoint?: string) => ({
  id,
  name: id,
  dependsOn: [],
  ...(endpoint !== undefined && { endpoint }),
});
const NODES = [
  node('edge', 'https://shop.example'),
  node('checkout', 'http://10.0.0.5:8080/ready'),
  node('payments', 'http://10.0.0.6'),
  node('local', 'http://localhost:3000/'),
  node('orders-db', 'postgres://reader:secret@10.0.0.7/shop'),
  node('cart-a', '10.0.0.8:6379'),
  node('cart-b', 'redis://10.0.0.8'),
  node('nameless'),
];
const named = (line: string) => nodesNamedInLine(line, NODES);
const nginx = (said: string, upstream: string) =>
  `*7 ${said}, client: 10.0.0.5, server: shop.example, request: "GET /payments/1 HTTP/1.1", upstream: "${upstream}", host: "shop.example"`;

describe('a line of the error log of nginx', () => {
  test.each([
    [
      'connect() failed (111: Connection refused) while connecting to upstream',
      'http://10.0.0.5:8080/payments/1',
      'checkout',
    ],
    [
      'upstream timed out (110: Connection timed out) while reading response header from upstream',
      'http://10.0.0.6:80/payments/1',
      'payments',
    ],
    [
      'connect() failed (111: Connection refused) while connecting to upstream',
      'http://[::1]:3000/',
      'local',
    ],
    ['no live upstreams while connecting to upstream', 'http://checkout/payments/1', 'checkout'],
  ])('names the server that it asked: %s', (said, upstream, expected) => {
    expect(named(nginx(said, upstream))).toEqual([expected]);
  });

  test('is read as any other line if it names a server that no node is', () => {
    expect(named(nginx('no live upstreams', 'http://elsewhere/'))).toEqual(['payments']);
  });
});

test('a line names nodes by their addresses', () => {
  expect(named('connect ECONNREFUSED 127.0.0.1:3000')).toEqual(['local']);
  expect(named('dial tcp 10.0.0.7:5432: i/o timeout, then checkout')).toEqual([
    'orders-db',
    'checkout',
  ]);
});

test('a part of an address, another port, and an address that two nodes share name none', () => {
  expect(named('10.0.0.5:80 110.0.0.5:8080 10.0.0.5:80801')).toEqual([]);
  expect(named('connect ECONNREFUSED 10.0.0.8:6379')).toEqual([]);
});

test('a line names nodes by the names that telemetry knows them by, unless two nodes have them', () => {
  const known = (id: string, ...telemetry: string[]) => ({
    ...node(id),
    attributes: { telemetry },
  });
  const nodes = [known('directory', 'ldap-01', 'shared'), known('auth', 'shared', 'directory')];
  expect(nodesNamedInLine('cannot bind to ldaps://ldap-01:636', nodes)).toEqual(['directory']);
  expect(nodesNamedInLine('shared is down', nodes)).toEqual([]);
  expect(nodesNamedInLine('directory is down', nodes)).toEqual(['directory']);
});

test('a key of what was measured names no node; a value and a text do', () => {
  expect(named('{"msg":"slow query","payments_ms":31,"checkout_count": 4}')).toEqual([]);
  expect(named('slow query payments_ms=31')).toEqual([]);
  expect(named('{"error":"payments timed out","took_ms":31}')).toEqual(['payments']);
});
