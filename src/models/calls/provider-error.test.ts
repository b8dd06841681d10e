import { expect, it } from '@jest/globals';
import { meaning, parsed, readProviderError } from './provider-error.js';

it.each<[string, unknown, object]>([
  ['a text', 'no', { type: '', message: 'no', status: undefined }],
  ['its own shape', { type: 'a', code: 'b', message: 'no' }, { type: 'a b', message: 'no' }],
  ['an error inside', { error: { type: 'a', message: 'no' } }, { type: 'a', message: 'no' }],
  ['a text inside', { error: 'no' }, { message: 'no' }],
  ['the wrapper of a package', { data: { error: { message: 'no' } } }, { message: 'no' }],
  ['a response inside', { response: { error: { code: 503, message: 'no' } } }, { status: 503 }],
  ['a status', { message: 'no', statusCode: 429 }, { status: 429 }],
  ['a number that is no error status', { message: 'no', code: 200 }, { status: undefined }],
])('reads %s', (_, value, expected) => {
  expect(readProviderError(value)).toMatchObject(expected);
});

it.each([undefined, null, 7, {}, { message: 7 }, { error: {} }])(
  'finds no error in %j',
  (value) => {
    expect(readProviderError(value)).toBeUndefined();
  },
);

it('reads a bounded part of a hostile error', () => {
  const long = 'x'.repeat(100_000);
  const read = readProviderError({ type: long, message: long });
  expect([read?.type.length, read?.message.length]).toEqual([2_000, 2_000]);
  let deep: object = { message: 'too deep' };
  for (let i = 0; i < 50; i++) deep = { error: deep };
  expect(readProviderError(deep)).toBeUndefined();
  const circle: Record<string, unknown> = {};
  circle['data'] = circle['error'] = circle;
  expect(readProviderError(circle)).toBeUndefined();
});

it.each([
  ['overloaded_error', 529],
  ['slow_down', 529],
  ['rate_limit_error', 429],
  ['insufficient_quota', 429],
  ['RESOURCE_EXHAUSTED', 429],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['context_length_exceeded', 413],
  ['invalid_request_error', 400],
  ['api_error', 502],
])('knows the meaning of %s', (type, status) => {
  expect(meaning({ type, message: '', status: undefined })).toBe(status);
});

it('takes the status if the type means nothing', () => {
  expect(meaning({ type: 'odd', message: '', status: 418 })).toBe(418);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['<html>', undefined],
  [undefined, undefined],
])('parses a body: %s', (body, value) => expect(parsed(body)).toEqual(value));
