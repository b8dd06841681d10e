import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Scene } from '../../support/scene.js';
import type { Api } from '../../support/api.js';

const PAGES = 'https://pages.example';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop({
    ALLOWED_HOSTS: 'consilium.example',
    ALLOWED_ORIGINS: PAGES,
  }));
});
afterAll(() => scene.close());

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Unlike `fetch`, sends any header. */
async function ask(path: string, { method = 'GET', headers = {}, body = '' }: Sent = {}) {
  const outgoing = send(`${api.url}${path}`, {
    method,
    headers: { accept: 'application/json', ...headers },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const said = await text(response);
  const json = response.headers['content-type']?.startsWith('application/json') === true;
  return {
    status: response.statusCode,
    headers: response.headers,
    said,
    answer: (json ? JSON.parse(said) : {}) as Record<string, unknown>,
  };
}

/** Sends these bytes, ends the sending half, and hears all that is answered. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(api.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.end(bytes);
  return text(socket);
}

const JSON_TYPE = { 'content-type': 'application/json' };
const host = () => new URL(api.url).host;
const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } });
const cancel = (body: string, headers = {}) =>
  post('/api/service/v1/executions/cancel', body, headers);
const unknownRun = JSON.stringify({ runId: '01960d3c-5f2a-7cc0-8000-0123456789ab' });

describe('C5: the host of a request', () => {
  test.each(['evil.example', 'localhost:1', '169.254.169.254', 'localhost.evil.example'])(
    'refuses %s',
    async (name) => {
      for (const path of ['/api/service/v1/topologies', '/metrics', '/docs', '/console', '/']) {
        const { status, answer } = await ask(path, { headers: { host: name } });
        expect([status, answer['code']]).toEqual([421, 'MISDIRECTED']);
      }
    },
  );

  test.each(['localhost', '[::1]', 'consilium.example'])('answers for %s', async (name) => {
    const { port } = new URL(api.url);
    const { status } = await ask('/health/live', { headers: { host: `${name}:${port}` } });
    expect(status).toBe(200);
  });

  test('L3: refuses two Host headers, and none', async () => {
    const one = `Host: ${host()}\r\n`;
    for (const hosts of [`${one}Host: evil.example\r\n`, `${one}${one}`, '']) {
      const heard = await raw(`GET /health/live HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      expect(heard).toMatch(/^HTTP\/1\.1 400 [^]*"VALIDATION_FAILED"/);
    }
  });

  test('refuses an absolute target that names another host, whatever Host says', async () => {
    const asks = (target: string) => raw(`GET ${target} HTTP/1.1\r\nHost: ${host()}\r\n\r\n`);
    for (const other of ['http://evil.example', 'https://evil.example:1', 'ftp://x', 'http:x'])
      expect(await asks(`${other}/health/live`)).toMatch(
        /^HTTP\/1\.1 4(?:21|00) .*(?:MISDIRECTED|VALIDATION)/s,
      );
    expect(await asks(`http://${host()}/health/live`)).toMatch(/^HTTP\/1\.1 200 /);
    const both = `GET http://${host()}/health/live HTTP/1.1\r\nHost: evil.example\r\n\r\n`;
    expect(await raw(both)).toMatch(/^HTTP\/1\.1 421 /);
  });

  test('answers an expectation that it cannot meet with the envelope', async () => {
    const said = await raw(`GET / HTTP/1.1\r\nHost: ${host()}\r\nExpect: 200-ok\r\n\r\n`);
    expect(said).toMatch(/^HTTP\/1\.1 417 Expectation Failed\r\n.*\{"code":"EXPECTATION_FAILED",/s);
  });

  test('writes the refusal as the client of a chat path reads it', async () => {
    const { answer } = await post('/chat/stream', '{}', { host: 'evil.example' });
    expect(answer).toMatchObject({ code: 'MISDIRECTED', detail: answer['message'] });
  });
});

describe('M2: the origin of a request', () => {
  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['an opaque origin', { origin: 'null' }],
    ['another site without an origin', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses %s, also without a body', async (_, headers) => {
    for (const path of ['/api/oracle/cancel', '/api/settings/agent-config/reset']) {
      const { status, answer } = await ask(path, { method: 'POST', headers });
      expect([status, answer['code']]).toEqual([403, 'FORBIDDEN_ORIGIN']);
    }
    expect((await cancel(unknownRun, headers)).status).toBe(403);
  });

  test('accepts a page of the service itself, an allowed one, and no page', async () => {
    for (const headers of [{ origin: `http://${host()}` }, { origin: PAGES }, {}])
      expect((await cancel(unknownRun, headers)).status).toBe(404);
  });
});

describe('CORS', () => {
  test('lets an allowed origin read answers and these headers of ours', async () => {
    const { headers } = await ask('/api/service/v1/tools', { headers: { origin: PAGES } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': PAGES,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers':
        'X-Run-Id,X-Request-Id,Location,Retry-After,ETag,RateLimit,RateLimit-Policy',
    });
    expect(headers.vary).toContain('Origin');
  });

  test('answers a preflight of an allowed origin', async () => {
    const { status, headers } = await ask('/api/service/v1/executions/trigger', {
      method: 'OPTIONS',
      headers: {
        origin: PAGES,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,last-event-id',
      },
    });
    expect([status, headers['access-control-allow-headers']]).toEqual([
      204,
      'content-type,last-event-id',
    ]);
    expect(headers['access-control-allow-methods']).toContain('POST');
  });

  test('lets no other origin read anything', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await ask('/api/service/v1/tools', {
        method,
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      });
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers).not.toHaveProperty('access-control-expose-headers');
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });
});

describe('the size and shape of a body', () => {
  const paths = [
    '/api/service/v1/executions/trigger',
    '/api/service/v1/executions/cancel',
    '/api/service/v1/topologies',
    '/chat/stream',
    '/api/oracle/stream',
    '/api/chat',
  ];
  const deep = (levels: number) => `{"x":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [i, 1])));

  test.each(paths)('%s refuses what is nested deeply, or has too many keys', async (path) => {
    for (const [body, message] of [
      [deep(32), /deeper than 32/],
      [deep(10_000), /deeper than 32/],
      [wide, /1,000 keys/],
    ] as const) {
      const { status, answer } = await post(path, body);
      expect([status, answer]).toEqual([
        400,
        {
          ...answer,
          code: 'VALIDATION_FAILED',
          data: { errors: [{ path: 'body', message: expect.stringMatching(message) }] },
        },
      ]);
    }
  });

  test('refuses 64 kB, but for topologies and clients that send whole conversations', async () => {
    const large = JSON.stringify({ x: 'y'.repeat(70_000) });
    for (const path of paths.filter((_, i) => i !== 2 && i !== 5)) {
      const { status, answer } = await post(path, large);
      expect([path, status, answer['message']]).toEqual([
        path,
        413,
        'The body is larger than 64 kB',
      ]);
    }
    for (const path of [paths[2] ?? '', paths[5] ?? ''])
      expect((await post(path, large)).status).toBe(400);
  });

  test('reads UTF-8 only', async () => {
    const { status } = await cancel(unknownRun, {
      'content-type': 'application/json; charset=utf-16',
    });
    expect(status).toBe(415);
  });
});

test.each([
  [
    '20 kB of headers',
    (one: string) => `GET / HTTP/1.1\r\n${one}X: ${'y'.repeat(20_000)}\r\n\r\n`,
    431,
  ],
  [
    'more than 100 headers, whatever follows them',
    (one: string) =>
      `GET / HTTP/1.1\r\nConnection: close\r\n${one}${'X: 1\r\n'.repeat(99)}Origin: https://evil.example\r\n\r\n`,
    431,
  ],
  ['what is no HTTP', () => 'BLAH\r\n\r\n', 400],
  [
    'two lengths',
    (one: string) => `POST / HTTP/1.1\r\n${one}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    400,
  ],
])('answers %s with the envelope', async (_, bytes, status) => {
  const said = await raw(bytes(`Host: ${host()}\r\n`));
  const [head = '', body = ''] = said.split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head).toMatch(/^Content-Type: application\/json/im);
  expect(JSON.parse(body)).toEqual({
    code: status === 431 ? 'HEADERS_TOO_LARGE' : 'VALIDATION_FAILED',
    message: expect.any(String),
    data: null,
  });
});

describe('a client that ends its sending half', () => {
  const request = (accept: string) => {
    const body = JSON.stringify({ topologyId, userMessage: 'Something seems wrong.' });
    return `POST /api/service/v1/executions/trigger HTTP/1.1\r\nHost: ${host()}\r\nAccept: ${accept}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  };

  test('gets its answer', async () =>
    expect(await raw(request('application/json'))).toMatch(/^HTTP\/1\.1 202 [^]*"SUCCESS"/));

  test('gets its whole stream', async () =>
    expect(await raw(request('text/event-stream'))).toMatch(
      /^HTTP\/1\.1 200 [^]*event: lifecycle\.started[^]*event: lifecycle\.completed\nid: \d+\ndata: .*\n\n$/,
    ));
});

test('M7: answers cannot be sniffed, stored, framed, or tell where they were linked', async () => {
  // A list has an ETag: its reader keeps it for itself, and asks each time whether it still holds.
  const listed = ['/api/service/v1/topologies', 'private, no-cache'];
  for (const [path = '', caching] of [
    listed,
    ...['/health/live', '/metrics', '/nothing'].map((other) => [other, 'no-store']),
  ])
    expect((await ask(path)).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cache-control': caching,
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
  const stream = await api.trigger(topologyId);
  expect(stream.headers['x-content-type-options']).toBe('nosniff');
  expect(stream.headers['cache-control']).toBe('no-cache, no-transform');
  await stream.end();
});
