import { describe, expect, it } from '@jest/globals';
import { isForeign } from './check-origin.js';

const host = 'localhost:3000';
const allowed = ['https://pages.example'];

describe('isForeign', () => {
  it.each([
    ['no page at all', {}],
    ['a page of its own', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-origin' }],
    ['its own name in upper case', { origin: 'http://LOCALHOST:3000' }],
    ['TLS that ends at a proxy', { origin: 'https://localhost:3000' }],
    ['an allowed origin', { origin: 'https://pages.example', 'sec-fetch-site': 'cross-site' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['its own page without an origin', { 'sec-fetch-site': 'same-origin' }],
  ])('lets %s pass', (_, headers) =>
    expect(isForeign('POST', { host, ...headers }, allowed)).toBe(false),
  );

  it.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port', { origin: 'http://localhost:3001', 'sec-fetch-site': 'same-site' }],
    ['an opaque origin', { origin: 'null' }],
    ['an empty origin', { origin: '' }],
    ['an origin that begins alike', { origin: 'https://pages.example.evil.example' }],
    ['an allowed origin with another scheme', { origin: 'http://pages.example' }],
    ['several origins', { origin: 'https://pages.example, https://evil.example' }],
    ['another scheme of the same host', { origin: 'ftp://localhost:3000' }],
    ['another site without an origin', { 'sec-fetch-site': 'cross-site' }],
    ['the same site without an origin', { 'sec-fetch-site': 'same-site' }],
  ])('stops %s', (_, headers) => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
      expect(isForeign(method, { host, ...headers }, allowed)).toBe(true);
  });

  it('treats a default port as optional', () => {
    const headers = { host: 'shop.example:443', origin: 'https://shop.example' };
    expect(isForeign('POST', headers, [])).toBe(false);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])('accepts %s from any origin', (method) =>
    expect(isForeign(method, { host, origin: 'https://evil.example' }, [])).toBe(false),
  );
});
