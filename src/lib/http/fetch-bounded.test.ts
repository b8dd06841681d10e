import { createServer, type RequestListener } from 'node:http';
import { createServer as createRawServer } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  BEFORE_HEAD,
  endlessServer,
  SWITCHED,
} from '../../../test/support/hostile/endless-server.js';
import { Loopback } from '../../../test/support/loopback.js';
import { fetchBounded } from './fetch-bounded.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const urlOf = async (server: Parameters<Loopback['open']>[0]): Promise<URL> =>
  new URL(`http://127.0.0.1:${await loopback.open(server)}/a?b=c`);
const answering = (listener: RequestListener): Promise<URL> => urlOf(createServer(listener));
/** A server that answers with these bytes. */
const saying = (bytes: string): Promise<URL> =>
  urlOf(createRawServer((socket) => void socket.once('data', () => socket.write(bytes))));

it.each(BEFORE_HEAD)('does not wait through endless %s', async (_, piece) => {
  const url = await urlOf(endlessServer(piece));
  await expect(fetchBounded(url)).rejects.toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
});

it('sends what it was given, and returns what was answered', async () => {
  const url = await answering((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      const said = `${method} ${path} ${String(headers['x-a'])} ${Buffer.concat(parts).toString()}`;
      response.writeHead(418, 'No coffee', { 'x-b': ['1', '2'] }).end(said);
    });
  });
  const response = await fetchBounded(url, { method: 'POST', headers: { 'X-A': '1' }, body: 'ü' });
  expect([response.status, response.statusText, response.ok]).toEqual([418, 'No coffee', false]);
  expect(response.headers.get('x-b')).toBe('1, 2');
  expect(await response.text()).toBe('POST /a?b=c 1 ü');
});

it('follows no redirect', async () => {
  const url = await answering(
    (_, response) => void response.writeHead(302, { location: '/' }).end(),
  );
  expect(await fetchBounded(url)).toMatchObject({ status: 302 });
});

it.each([204, 205, 304])('returns an answer %d without a body', async (status) => {
  const url = await answering((_, response) => void response.writeHead(status).end());
  expect(await fetchBounded(url)).toMatchObject({ status, body: null });
});

it.each([
  ['a status that does not exist', 'HTTP/1.1 999 Odd\r\n\r\n'],
  ['another protocol', SWITCHED],
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n'],
])('rejects %s, and closes the connection', async (_, bytes) => {
  await expect(fetchBounded(await saying(bytes))).rejects.toThrow();
  expect(await loopback.openConnections()).toBe(0);
});

it('returns a reason phrase that no response may have without it', async () => {
  const url = await saying('HTTP/1.1 500 a\x01b\r\ncontent-length: 0\r\n\r\n');
  expect(await fetchBounded(url)).toMatchObject({ status: 500, statusText: '' });
});

describe('the reason of its signal', () => {
  it('rejects it before the head', async () => {
    const stop = new AbortController();
    const url = await answering(() => stop.abort(new Error('enough')));
    await expect(fetchBounded(url, { signal: stop.signal })).rejects.toThrow('enough');
    await expect(fetchBounded(url, { signal: stop.signal })).rejects.toThrow('enough');
  });

  it('ends the body', async () => {
    const stop = new AbortController();
    const url = await answering((_, response) => void response.write('a'));
    const { body } = await fetchBounded(url, { signal: stop.signal });
    const reader = body?.getReader();
    expect((await reader?.read())?.value).toEqual(Uint8Array.of(97));
    stop.abort(new Error('enough'));
    await expect(reader?.read()).rejects.toThrow('enough');
    expect(await loopback.openConnections()).toBe(0);
  });
});

it('closes the connection of a body that is cancelled', async () => {
  const { body } = await fetchBounded(await answering((_, response) => void response.write('a')));
  await body?.cancel();
  expect(await loopback.openConnections()).toBe(0);
});

it('says that an answer broke off', async () => {
  const url = await saying('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc');
  const response = await fetchBounded(url);
  const text = response.text();
  await loopback.close();
  await expect(text).rejects.toMatchObject({ code: 'ECONNRESET' });
});
