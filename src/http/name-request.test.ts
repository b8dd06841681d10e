import { expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { requestIdOf } from '../lib/request-id.js';
import { makeApiKey } from './access/api-key.js';
import { nameRequest } from './name-request.js';

function idFor(sent: string | undefined): string | undefined {
  const headers = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    getHeader: (name: string) => headers.get(name),
  } as unknown as Response;
  nameRequest(
    { headers: { 'x-request-id': sent } } as unknown as Request,
    response,
    () => undefined,
  );
  return requestIdOf(response);
}

it('keeps the id that a proxy gave to a request', () => {
  expect(idFor('4f1c.a:7-b_c')).toBe('4f1c.a:7-b_c');
});

it.each([
  undefined,
  '',
  'a b',
  'a\r\nb',
  '<a>',
  'a'.repeat(101),
  makeApiKey().key,
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.c2ln',
])('names a request with %j itself', (sent) => {
  const id = idFor(sent);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(idFor(sent)).not.toBe(id);
});
