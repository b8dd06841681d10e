import { APICallError, LoadAPIKeyError } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { NotAStreamError } from '../providers/counting-fetch.js';
import { classifyError, describe as described } from './classify-error.js';
import { ModelError } from './model-error.js';

const NOW = Date.UTC(2026, 0, 1, 12);
const model = {
  name: 'big',
  modelId: 'big-1',
  settings: { key: 'THE_KEY', address: 'THE_URL', id: 'models[0].model' },
};
const classify = (error: unknown, afterText = false) => classifyError(error, model, afterText, NOW);
const refused = (
  statusCode: number,
  error: object = { type: '', message: 'no' },
  responseHeaders = {},
) =>
  new APICallError({
    message: 'no',
    url: 'http://provider',
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody: JSON.stringify({ error }),
  });
const network = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

it.each<[number, object, string, boolean, RegExp]>([
  [429, {}, 'RATE_LIMITED', true, /limits the rate/],
  [503, {}, 'OVERLOADED', true, /overloaded \(503\)/],
  [529, {}, 'OVERLOADED', true, /overloaded \(529\)/],
  [401, {}, 'AI_ERROR', false, /refused the key \(401\): check THE_KEY/],
  [403, {}, 'AI_ERROR', false, /may not use it \(403\): check THE_KEY/],
  [404, {}, 'AI_ERROR', false, /no model "big-1" \(404\): check models\[0\]\.model and THE_URL/],
  [400, { message: 'bad temperature' }, 'AI_ERROR', false, /refused .*: bad temperature/],
  [302, {}, 'AI_ERROR', false, /redirects \(302\)/],
  [408, {}, 'AI_ERROR', true, /failed \(408\)/],
  [418, {}, 'AI_ERROR', false, /failed \(418\)/],
  [500, {}, 'AI_ERROR', true, /failed \(500\)/],
  [402, {}, 'AI_ERROR', false, /no credit left/],
  [429, { type: 'insufficient_quota' }, 'RATE_LIMITED', false, /no credit left/],
  [400, { message: 'Your credit balance is too low' }, 'AI_ERROR', false, /no credit left/],
  // The status of an error within a stream is a guess of the package.
  [500, { type: 'overloaded_error' }, 'OVERLOADED', true, /overloaded/],
])('%d %j is %s, retryable: %s', (status, error, code, retryable, message) => {
  const found = classify(refused(status, { message: 'no', ...error }));
  expect(found).toMatchObject({ code, retryable });
  expect(found.message).toMatch(message);
});

it.each([
  [400, 'This model has a maximum context length of 8192 tokens'],
  [422, 'prompt is too long: 210000 tokens > 200000 maximum'],
  [413, 'no'],
])('%d "%s" means that the prompt is too long', (status, message) => {
  const found = classify(refused(status, { message }));
  expect(found).toMatchObject({ retryable: false, tooLong: expect.anything() as unknown });
  expect(found.message).toContain('too long');
});

describe('Retry-After', () => {
  it('is read from an error that is worth another attempt', () => {
    expect(classify(refused(429, {}, { 'retry-after': '7' })).retryAfterMs).toBe(7_000);
    expect(classify(refused(401, {}, { 'retry-after': '7' })).retryAfterMs).toBeUndefined();
  });

  it('is named with its end if it is long', () => {
    const { message } = classify(refused(429, {}, { 'retry-after': '3600' }));
    expect(message).toMatch(/asked for a pause until .*13:00.* \(Retry-After\)\.$/);
  });
});

it.each([
  ['ECONNREFUSED', true, /cannot be reached \(ECONNREFUSED\): check THE_URL/],
  ['ENOTFOUND', true, /cannot be reached/],
  ['CERT_HAS_EXPIRED', false, /cannot be reached safely/],
  ['HPE_HEADER_OVERFLOW', true, /is not HTTP \(HPE_HEADER_OVERFLOW\): check THE_URL/],
  ['ECONNRESET', true, /was lost before it answered \(ECONNRESET\)/],
])('names the network error %s', (code, retryable, message) => {
  const found = classify(network(code));
  expect(found).toMatchObject({ code: 'AI_ERROR', retryable });
  expect(found.message).toMatch(message);
});

it('says that a connection was lost in the middle of an answer', () => {
  const found = classify(network('ECONNRESET'), true);
  expect([found.afterText, found.message]).toEqual([
    true,
    expect.stringContaining('in the middle of its answer'),
  ]);
});

it.each<[unknown, RegExp, boolean]>([
  [new LoadAPIKeyError({ message: 'no' }), /has no key: set THE_KEY/, false],
  [new NotAStreamError('text/html'), /answers with text\/html, not with a stream/, false],
  [{ type: 'overloaded_error', message: 'no' }, /overloaded/, true],
  [{ message: 'strange' }, /broke its answer off/, true],
  [new RangeError('secret of the provider'), /not known \(RangeError\)/, false],
  [7, /not known \(number\)/, false],
])('explains %s', (error, message, retryable) => {
  const found = classify(error);
  expect(found.message).toMatch(message);
  expect(found.message).not.toContain('secret');
  expect(found.retryable).toBe(retryable);
});

it('returns an error that was classified before', () => {
  const known = new ModelError('AI_ERROR', 'x', { retryable: false, afterText: false });
  expect(classify(known)).toBe(known);
});

it('describes a model without settings', () => {
  expect(described({ name: 'm' })).toMatchObject({ name: 'm', modelId: 'm' });
});
