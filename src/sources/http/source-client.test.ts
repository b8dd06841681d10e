import { afterEach, describe, expect, it } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { failureOf, ScriptedSources } from '../../../test/support/sources/scripted-sources.js';
import { askSource, readSource } from './source-client.js';
import type { SourceServer } from './source-server.js';

const sources = new ScriptedSources();
afterEach(() => sources.close());
const live = new AbortController().signal;

describe('a request to a source', () => {
  it('reads JSON below the path of the endpoint, with a credential that is read each time', async () => {
    let read = 0;
    const server = await sources.start(
      (response, { url, headers, method }) =>
        response.end(JSON.stringify([method, url, headers.authorization, headers['x-scope']])),
      { authorization: async () => `Bearer ${++read}` },
    );
    const question = { path: '/api?q=1', headers: { 'x-scope': 'a' } };
    expect(await askSource(server, question, live)).toEqual([
      'GET',
      '/base/api?q=1',
      'Bearer 1',
      'a',
    ]);
    expect(await askSource(server, question, live)).toMatchObject({ 2: 'Bearer 2' });
  });

  it('posts a form', async () => {
    const server = await sources.start((response, request) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => response.end(JSON.stringify([request.method, body])));
    });
    const form = { query: 'up{job="a&b"}' };
    expect(await askSource(server, { path: '/q', form }, live)).toEqual([
      'POST',
      'query=up%7Bjob%3D%22a%26b%22%7D',
    ]);
  });

  it('returns the text of an answer that is no JSON, and fails where JSON was asked for', async () => {
    const server = await sources.start((response) => response.end('<html>'));
    expect(await readSource(server, { path: '/' }, live)).toBe('<html>');
    const error = await failureOf(askSource(server, { path: '/' }, live));
    expect(error).toMatchObject({ failure: 'failed', status: 200 });
    expect(error.message).toMatch(/^source\.test:\d+: status 200, and no JSON$/);
  });

  it.each([
    [
      401,
      '',
      'refused',
      'it requires a credential, and SOURCES_FILE lists none for it (status 401)',
    ],
    [
      403,
      '{}',
      'refused',
      'it requires a credential, and SOURCES_FILE lists none for it (status 403)',
    ],
    [
      403,
      '{"error":',
      'refused',
      'it requires a credential, and SOURCES_FILE lists none for it (status 403)',
    ],
    [400, '{"errorType":"bad_data","error":"parse error"}', 'failed', 'bad_data: parse error'],
    [500, '{"message":"no leader"}', 'failed', 'status 500: no leader'],
    [500, 'null', 'failed', 'status 500: '],
    [502, '<html>', 'failed', 'status 502, and no JSON'],
    [429, 'slow down', 'failed', 'it wants fewer requests (status 429)'],
    [429, '{"error":"too many outstanding"}', 'failed', 'status 429: too many outstanding'],
    [302, '', 'failed', 'not followed: list the address that answers itself (status 302)'],
  ])('with the status %i and the body %j is %s', async (status, body, failure, message) => {
    const server = await sources.start((response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body),
    );
    const error = await failureOf(askSource(server, { path: '/' }, live));
    expect(error).toMatchObject({ failure, status });
    expect(error.message).toContain(message);
  });

  it('says what a connection error means, and that `ca` holds no certificate', async () => {
    const closing = await sources.start((response) => response.socket?.destroy());
    const server = { ...closing, endpoint: closing.endpoint.replace('http:', 'https:') };
    const said = async (given: SourceServer) =>
      (await failureOf(askSource(given, { path: '/' }, live))).message;
    expect(await said(closing)).toMatch(/is the port right, or is it https:/);
    expect(await said(server)).toMatch(/is the port right, or is it http:/);
    const authority = () => Promise.resolve('-----BEGIN PRIVATE KEY-----');
    expect(await said({ ...server, authority })).toBe('its `ca` holds no certificate (PEM)');
  });

  it.each([{ authorization: () => Promise.resolve('Bearer 1') }, { tls: { cert: 'x', key: 'x' } }])(
    'says that a credential may not look: %j',
    async (given) => {
      const server = await sources.start((response) => response.writeHead(403).end(), given);
      const { message } = await failureOf(askSource(server, { path: '/' }, live));
      expect(message).toMatch(/: the credential has no right to read \(status 403\)$/);
    },
  );

  it.each([
    [
      401,
      { error: 'not_authorised', reason: 'Not monitor user' },
      'not_authorised: Not monitor user',
    ],
    [403, { message: 'Permission denied' }, 'Permission denied'],
    [403, { message: 'x'.repeat(1_000) }, 'x'.repeat(200)],
  ])('says why a credential may not look: %i %j', async (status, body, words) => {
    const server = await sources.start((response) =>
      response.writeHead(status).end(JSON.stringify(body)),
    );
    const { message } = await failureOf(askSource(server, { path: '/' }, live));
    expect(message.endsWith(`(status ${status}): ${words}`)).toBe(true);
  });

  it('shows at most 500 characters of a message', async () => {
    const server = await sources.start((response) =>
      response.writeHead(500).end(JSON.stringify({ error: 'x'.repeat(10_000) })),
    );
    const { message } = await failureOf(askSource(server, { path: '/' }, live));
    expect(message.length).toBeLessThan(600);
  });

  it('is repeated once after a short pause', async () => {
    const busy = (response: ServerResponse) =>
      response.writeHead(429, { 'retry-after': '0' }).end('{"error":"busy"}');
    const once = await sources.start((response, _, nth) =>
      nth === 1 ? busy(response) : response.end('1'),
    );
    expect(await askSource(once, { path: '/' }, live)).toBe(1);
    let asked = 0;
    const always = await sources.start((response) => (asked++, busy(response)));
    const error = await failureOf(askSource(always, { path: '/' }, live));
    expect([asked, error.message]).toEqual([2, expect.stringContaining('busy')]);
  });

  it.each(['6', '3600', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1', undefined])(
    'is not repeated if the server asks for the pause %j',
    async (pause) => {
      let asked = 0;
      const server = await sources.start((response) => {
        asked++;
        response.writeHead(503, pause === undefined ? {} : { 'retry-after': pause }).end('{}');
      });
      await failureOf(askSource(server, { path: '/' }, live));
      expect(asked).toBe(1);
    },
  );

  it('reads a bounded part of an answer', async () => {
    const server = await sources.start((response) => response.end('x'.repeat(3_000)));
    const question = { path: '/', mostBytes: 2_048 };
    const error = await failureOf(readSource(server, question, live));
    expect(error.message).toBe('its answer is larger than 2 KiB: narrow the selector');
    expect(await readSource(server, { ...question, mostBytes: 3_000 }, live)).toHaveLength(3_000);
    expect(await sources.loopback.openConnections()).toBe(0);
  });

  it('fails if a credential cannot be read', async () => {
    const authorization = () => Promise.reject(new Error('the credential is missing'));
    const server = await sources.start((response) => response.end('1'), { authorization });
    expect(await failureOf(askSource(server, { path: '/' }, live))).toMatchObject({
      failure: 'failed',
      message: 'the credential is missing',
    });
  });

  it('posts JSON', async () => {
    const server = await sources.start((response, request) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      const { method, headers } = request;
      const type = headers['content-type'];
      request.on('end', () => response.end(JSON.stringify([method, type, String(parts[0])])));
    });
    expect(await askSource(server, { path: '/', json: '{"a":1}' }, live)).toEqual([
      'POST',
      'application/json',
      '{"a":1}',
    ]);
  });

  it('ends with the reason of its signal, before, during and between two attempts', async () => {
    const stopped = AbortSignal.abort(new Error('enough'));
    const server = await sources.start((response) => void response.writeHead(200).write('['));
    await expect(askSource(server, { path: '/' }, stopped)).rejects.toThrow('enough');
    const stop = new AbortController();
    const asked = askSource(
      await sources.start((response) => {
        response.write('[');
        stop.abort(new Error('enough'));
      }),
      { path: '/' },
      stop.signal,
    );
    await expect(asked).rejects.toThrow('enough');
    const pausing = new AbortController();
    const busy = await sources.start((response) => {
      response.writeHead(503, { 'retry-after': '5' }).end('{}');
      setTimeout(() => pausing.abort(new Error('enough')), 20);
    });
    await expect(askSource(busy, { path: '/' }, pausing.signal)).rejects.toThrow('enough');
  });
});
