import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcp } from 'node:net';
import { createServer as createTls } from 'node:https';
import { BEFORE_HEAD, endlessServer, SWITCHED } from '../../../test/support/endless-server.js';
import { closedPort, Loopback, testCa, testCertificate } from '../../../test/support/loopback.js';
import { askSource, readSource } from './source-client.js';
import { SourceError } from './source-error.js';
import type { Egress, SourceServer } from './source-server.js';

const loopback = new Loopback();
afterEach(async () => {
  await loopback.close();
  expect(places).toBe(0);
});

/** Places that were taken among the connections to a host, and not given back. */
let places = 0;
const enter: Egress['enter'] = async () => {
  places++;
  return async () => void places--;
};
const open: Egress = { resolve: async () => [{ address: '127.0.0.1', family: 4 }], enter };
const live = new AbortController().signal;

/** A server that gives each request its answer. */
async function serverOf(
  answer: (response: ServerResponse, request: IncomingMessage, nth: number) => void,
  more: Partial<SourceServer> = {},
): Promise<SourceServer> {
  let count = 0;
  const server = createServer((request, response) => answer(response, request, ++count));
  const port = await loopback.open(server);
  return { endpoint: `http://source.test:${port}/base/`, egress: open, ...more };
}

const failureOf = (asked: Promise<unknown>): Promise<SourceError> =>
  asked.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => {
      expect(error).toBeInstanceOf(SourceError);
      return error as SourceError;
    },
  );

describe('a request to a source', () => {
  it('reads JSON below the path of the endpoint, with a credential that is read each time', async () => {
    let read = 0;
    const server = await serverOf(
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
    const server = await serverOf((response, request) => {
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
    const server = await serverOf((response) => response.end('<html>'));
    expect(await readSource(server, { path: '/' }, live)).toBe('<html>');
    const error = await failureOf(askSource(server, { path: '/' }, live));
    expect(error).toMatchObject({ failure: 'failed', status: 200 });
    expect(error.message).toMatch(/^source\.test:\d+: status 200, and no JSON$/);
  });

  it.each([
    [401, '', 'refused', 'it wants a credential, and none is listed for it (status 401)'],
    [403, '{}', 'refused', 'it wants a credential, and none is listed for it (status 403)'],
    [400, '{"errorType":"bad_data","error":"parse error"}', 'failed', 'bad_data: parse error'],
    [500, '{"message":"no leader"}', 'failed', 'status 500: no leader'],
    [500, 'null', 'failed', 'status 500: '],
    [502, '<html>', 'failed', 'status 502, and no JSON'],
    [429, 'slow down', 'failed', 'it wants fewer requests (status 429)'],
    [429, '{"error":"too many outstanding"}', 'failed', 'status 429: too many outstanding'],
    [302, '', 'failed', 'not followed: list the address that answers itself (status 302)'],
  ])('with the status %i and the body %j is %s', async (status, body, failure, message) => {
    const server = await serverOf((response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body),
    );
    const error = await failureOf(askSource(server, { path: '/' }, live));
    expect(error).toMatchObject({ failure, status });
    expect(error.message).toContain(message);
  });

  it('says what a connection error means, and that `ca` holds no certificate', async () => {
    const closing = await serverOf((response) => response.socket?.destroy());
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
      const server = await serverOf((response) => response.writeHead(403).end(), given);
      const { message } = await failureOf(askSource(server, { path: '/' }, live));
      expect(message).toMatch(/: the credential may not look \(status 403\)$/);
    },
  );

  it('shows at most 500 characters of a message', async () => {
    const server = await serverOf((response) =>
      response.writeHead(500).end(JSON.stringify({ error: 'x'.repeat(10_000) })),
    );
    const { message } = await failureOf(askSource(server, { path: '/' }, live));
    expect(message.length).toBeLessThan(600);
  });

  it('is repeated once after a short pause', async () => {
    const busy = (response: ServerResponse) =>
      response.writeHead(429, { 'retry-after': '0' }).end('{"error":"busy"}');
    const once = await serverOf((response, _, nth) =>
      nth === 1 ? busy(response) : response.end('1'),
    );
    expect(await askSource(once, { path: '/' }, live)).toBe(1);
    let asked = 0;
    const always = await serverOf((response) => (asked++, busy(response)));
    const error = await failureOf(askSource(always, { path: '/' }, live));
    expect([asked, error.message]).toEqual([2, expect.stringContaining('busy')]);
  });

  it.each(['6', '3600', 'Wed, 21 Oct 2026 07:28:00 GMT', '-1', undefined])(
    'is not repeated if the server asks for the pause %j',
    async (pause) => {
      let asked = 0;
      const server = await serverOf((response) => {
        asked++;
        response.writeHead(503, pause === undefined ? {} : { 'retry-after': pause }).end('{}');
      });
      await failureOf(askSource(server, { path: '/' }, live));
      expect(asked).toBe(1);
    },
  );

  it('reads a bounded part of an answer', async () => {
    const server = await serverOf((response) => response.end('x'.repeat(3_000)));
    const question = { path: '/', mostBytes: 2_048 };
    const error = await failureOf(readSource(server, question, live));
    expect(error.message).toBe('its answer is larger than 2 KiB: narrow the selector');
    expect(await readSource(server, { ...question, mostBytes: 3_000 }, live)).toHaveLength(3_000);
    expect(await loopback.openConnections()).toBe(0);
  });

  it.each(BEFORE_HEAD)('ends at endless %s before the head of an answer', async (_, piece) => {
    const endpoint = `http://127.0.0.1:${await loopback.open(endlessServer(piece))}`;
    const error = await failureOf(askSource({ endpoint, egress: open }, { path: '/' }, live));
    expect(error.failure).toBe('unreachable');
    expect(error.message).toContain('its answer has no complete head within 32 KiB');
  });

  it('is unreachable if nothing listens, it hangs up, speaks another protocol, or is silent', async () => {
    const tcp = async (onData: (end: () => void, write: (text: string) => void) => void) =>
      loopback.open(
        createTcp((socket) =>
          socket.once('data', () =>
            onData(
              () => socket.destroy(),
              (text) => socket.end(text),
            ),
          ),
        ),
      );
    const ports = [
      await closedPort(),
      await tcp((end) => end()),
      await tcp((_, write) => write('SSH-2.0\r\n')),
      await tcp((_, write) => write(SWITCHED)),
      await tcp((_, write) => write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n1')),
      await tcp(() => undefined),
    ];
    for (const port of ports) {
      const server = { endpoint: `http://127.0.0.1:${port}`, egress: open, timeoutMs: 1_000 };
      const error = await failureOf(askSource(server, { path: '/' }, live));
      expect([error.failure, error.message]).toEqual([
        'unreachable',
        expect.stringContaining(`127.0.0.1:${port}: `),
      ]);
    }
  });

  it('tries the next address of its host if one refuses', async () => {
    const addresses = ['127.0.0.2', '127.0.0.1'] as const;
    const resolve: Egress['resolve'] = async () =>
      addresses.map((address) => ({ address, family: 4 }));
    const server = await serverOf((response) => void response.end('{}'), {
      egress: { resolve, enter },
    });
    expect(await askSource(server, { path: '/' }, live)).toEqual({});
  });

  it('connects to nothing that the egress rules deny', async () => {
    let asked = 0;
    const denied: Egress = { resolve: () => Promise.reject(new Error('denied by rule')), enter };
    const nowhere: Egress = { resolve: async () => [], enter };
    const answer = (response: ServerResponse) => (asked++, response.end('1'));
    for (const [egress, message] of [
      [denied, 'denied by rule'],
      [nowhere, 'source.test has no address'],
    ] as const) {
      const server = await serverOf(answer, { egress });
      expect((await failureOf(askSource(server, { path: '/' }, live))).message).toContain(message);
    }
    expect(asked).toBe(0);
  });

  it('trusts only the authority that it is given, read for each request', async () => {
    const tls = createTls(testCertificate('valid'), (_, response) => response.end('1'));
    const endpoint = `https://127.0.0.1:${await loopback.open(tls)}`;
    const authority = () => Promise.resolve(testCa());
    expect(await askSource({ endpoint, egress: open, authority }, { path: '/' }, live)).toBe(1);
    const { failure } = await failureOf(askSource({ endpoint, egress: open }, { path: '/' }, live));
    expect(failure).toBe('unreachable');
  });

  it('fails if a credential cannot be read', async () => {
    const authorization = () => Promise.reject(new Error('the credential is missing'));
    const server = await serverOf((response) => response.end('1'), { authorization });
    expect(await failureOf(askSource(server, { path: '/' }, live))).toMatchObject({
      failure: 'failed',
      message: 'the credential is missing',
    });
  });

  it('posts JSON', async () => {
    const server = await serverOf((response, request) => {
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

  it('passes the host without brackets and the default port to the egress rules', async () => {
    const seen: unknown[] = [];
    const egress: Egress = {
      resolve: (target) => {
        seen.push(target);
        return Promise.reject(new Error('no'));
      },
      enter,
    };
    for (const endpoint of ['http://[::1]', 'https://a.test', 'http://b.test:9090'])
      await failureOf(askSource({ endpoint, egress }, { path: '/' }, live));
    expect(seen).toEqual([
      { host: '::1', port: 80 },
      { host: 'a.test', port: 443 },
      { host: 'b.test', port: 9090 },
    ]);
  });

  it('ends with the reason of its signal, before, during and between two attempts', async () => {
    const stopped = AbortSignal.abort(new Error('enough'));
    const server = await serverOf((response) => void response.writeHead(200).write('['));
    await expect(askSource(server, { path: '/' }, stopped)).rejects.toThrow('enough');
    const stop = new AbortController();
    const asked = askSource(
      await serverOf((response) => {
        response.write('[');
        stop.abort(new Error('enough'));
      }),
      { path: '/' },
      stop.signal,
    );
    await expect(asked).rejects.toThrow('enough');
    const pausing = new AbortController();
    const busy = await serverOf((response) => {
      response.writeHead(503, { 'retry-after': '5' }).end('{}');
      setTimeout(() => pausing.abort(new Error('enough')), 20);
    });
    await expect(askSource(busy, { path: '/' }, pausing.signal)).rejects.toThrow('enough');
  });
});
