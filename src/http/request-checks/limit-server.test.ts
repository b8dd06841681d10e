import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { afterEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../config/load-config.js';
import { addRequestChecks } from './add-request-checks.js';
import { limitServer, REQUEST_TIMES } from './limit-server.js';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/**
 * Starts a server that streams at `/stream`, leaves `/open` without an answer and echoes other
 * paths.
 */
async function serve(times = REQUEST_TIMES, streams = 10): Promise<number> {
  server = createServer((request, response) => {
    request.resume();
    if (request.url === '/stream') response.write('begun ');
    else if (request.url !== '/open')
      request.once('end', () => response.end(`asked ${request.url}`));
  });
  limitServer(server, streams, times);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function send(port: number, bytes: string, end = false): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.setEncoding('utf8').on('error', () => undefined);
  await once(socket, 'connect');
  if (end) socket.end(bytes);
  else socket.write(bytes);
  return socket;
}

async function heardOf(socket: Socket): Promise<string> {
  let heard = '';
  socket.on('data', (text: string) => (heard += text));
  socket.once('end', () => socket.end());
  await once(socket, 'close');
  return heard;
}

const HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n';

describe('limitServer', () => {
  it('responds to a client that ends its sending half after the request', async () => {
    const heard = await heardOf(await send(await serve(), `${HEAD}\r\n`, true));
    expect(heard).toMatch(/^HTTP\/1\.1 200 OK[^]*asked \/$/);
  });

  it('lets more than the usual ten parts of the service wait for the end of a response', async () => {
    const port = await serve();
    let most = 0;
    server.on('request', (_, response) => (most = response.getMaxListeners()));
    await heardOf(await send(port, `${HEAD}\r\n`, true));
    expect(most).toBe(20);
  });

  it.each([
    ['20 kB of headers', `${HEAD}X: ${'y'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['nonsense', 'BLAH\r\n\r\n', 400, 'VALIDATION_FAILED'],
    [
      'two lengths',
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
      'VALIDATION_FAILED',
    ],
  ])('answers %s with the envelope', async (_, bytes, status, code) => {
    const [head = '', body = ''] = (await heardOf(await send(await serve(), bytes))).split(
      '\r\n\r\n',
    );
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), data: null });
  });

  it('writes nothing into an open response', async () => {
    const socket = await send(await serve(), 'GET /stream HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.write('BLAH\r\n\r\n');
    expect(await heardOf(socket)).not.toContain('HTTP/1.1');
  });

  it('says nothing about a late request while the response to an earlier one is open', async () => {
    const port = await serve({ ...REQUEST_TIMES, checkMs: 10 });
    const isOpen = once(server, 'request');
    const socket = await send(port, 'GET /open HTTP/1.1\r\nHost: x\r\n\r\n');
    await isOpen;
    // Only now, so that a busy machine cannot make the first request late.
    Object.assign(server, { headersTimeout: 20, requestTimeout: 40 });
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{');
    expect(await heardOf(socket)).toBe('');
  });

  it.each([
    ['headers', HEAD],
    ['a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{'],
  ])('M8: does not wait for %s that is incomplete', async (_, bytes) => {
    const port = await serve({ headersMs: 20, requestMs: 40, checkMs: 10 });
    const heard = await heardOf(await send(port, bytes));
    expect(heard).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(heard).toContain('"code":"REQUEST_TIMEOUT"');
  });

  it('M8: of the service waits ten seconds for headers and thirty for a whole request', () => {
    server = createServer();
    const app = { getHttpServer: () => server, use: () => undefined };
    addRequestChecks(app as unknown as NestExpressApplication, loadConfig({}));
    expect([server.headersTimeout, server.requestTimeout]).toEqual([10_000, 30_000]);
    // Node.js ends such requests only when it checks its connections.
    expect(server).toMatchObject({ connectionsCheckingInterval: 2_000 });
  });

  it('M8: accepts at most the streams and a thousand other connections, each with so many requests and headers', async () => {
    await serve(REQUEST_TIMES, 500);
    expect(server.maxConnections).toBe(1_500);
    expect([server.maxRequestsPerSocket, server.maxHeadersCount]).toEqual([10_000, 101]);
  });
});
