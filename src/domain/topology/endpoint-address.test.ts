import { expect, it } from '@jest/globals';
import { endpointMask } from './endpoint-address.js';

const node = (id: string, endpoint?: string) => ({
  ...{ id, name: id, kind: 'service', dependsOn: [], attributes: {} },
  ...(endpoint !== undefined && { endpoint }),
});

it('replaces the addresses of nodes in a text', () => {
  const mask = endpointMask([
    node('shop', 'https://shop.example.com/ready'),
    node('cache', 'redis://:secret@10.0.0.7:6379'),
    node('cache-2', '10.0.0.7:63790'),
    node('host'),
  ]);
  expect(mask('GET https://shop.example.com/ready: ECONNREFUSED 10.0.0.7:6379')).toBe(
    'GET https://<endpoint of shop>/ready: ECONNREFUSED <endpoint of cache>',
  );
  expect(mask('10.0.0.7:63790, 10.0.0.7:637901, my-shop.example.com, 10.0.0.7')).toBe(
    '<endpoint of cache-2>, 10.0.0.7:637901, my-shop.example.com, 10.0.0.7',
  );
});

it('changes no text if no node has an address', () => {
  expect(endpointMask([node('host')])('127.0.0.1:1')).toBe('127.0.0.1:1');
  expect(endpointMask([node('odd', 'http://[')])('http://[')).toBe('http://[');
});
