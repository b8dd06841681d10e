import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ConsiliumError } from '../domain/errors.js';
import { Http } from './http.js';
import { failureOf, StreamError, toStreamFailure } from './stream-error.js';
import type { NamedEvent } from '../domain/events/event.js';

afterEach(() => void jest.restoreAllMocks());

/** Answers every request so. @returns the requests */
function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const asked: [string, RequestInit | undefined][] = [];
  jest.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    asked.push([url as string, init]);
    return new Response(body, { status, headers });
  });
  return asked;
}

describe('Http', () => {
  it('sends headers of the client and of the request, and returns data', async () => {
    const asked = answering(200, '{"code":"SUCCESS","message":"OK","data":{"a":1}}');
    const http = new Http('http://127.0.0.1:3000//', { cookie: 'c' });
    expect(await http.json('PUT', '/x', { body: { b: 2 }, headers: { k: 'v' } })).toEqual({ a: 1 });
    const [[url, init] = []] = asked;
    expect(url).toBe('http://127.0.0.1:3000/x');
    expect(init).toMatchObject({
      method: 'PUT',
      body: '{"b":2}',
      headers: { cookie: 'c', k: 'v', 'content-type': 'application/json' },
    });
  });

  it('keeps when to try again', async () => {
    answering(503, '{"code":"UNAVAILABLE","message":"Later.","data":null}', { 'retry-after': '7' });
    await expect(new Http('http://x', {}).json('GET', '/')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      options: { retryAfterSeconds: 7 },
    });
  });

  it('says that another program has answered', async () => {
    answering(502, '<html>');
    await expect(new Http('http://x', {}).json('GET', '/')).rejects.toThrow(
      'http://x answered 502, but not as a Consilium service does.',
    );
  });

  it.each(['', 'localhost:3000', 'ftp://x', '/'])('refuses the URL %j', (url) =>
    expect(() => new Http(url, {})).toThrow(TypeError),
  );
});

describe('failure', () => {
  const refused = { message: 'Full.', code: 'rate_limit_exceeded', retryable: false };

  it.each([
    [new StreamError(refused), refused],
    [
      new ConsiliumError('RATE_LIMITED', 'Slow down.'),
      { message: 'Slow down.', code: 'RATE_LIMITED', retryable: true },
    ],
    [
      new ConsiliumError('NOT_FOUND', 'None.'),
      { message: 'None.', code: 'NOT_FOUND', retryable: false },
    ],
    [new Error('x'), { message: 'x', code: 'CLIENT_ERROR', retryable: false }],
    ['x', { message: 'x', code: 'CLIENT_ERROR', retryable: false }],
  ])('of %s', (error, failure) => expect(toStreamFailure(error)).toEqual(failure));

  it('is what a failed run reports', () => {
    const data = { error: 'No.', code: 'DEADLINE', retryable: true };
    expect(failureOf({ name: 'lifecycle.failed', data } as unknown as NamedEvent)).toEqual({
      message: 'No.',
      code: 'DEADLINE',
      retryable: true,
    });
    expect(failureOf({ name: 'lifecycle.completed' } as NamedEvent)).toBeUndefined();
  });
});
