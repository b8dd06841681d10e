import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { BEFORE_HEAD, endlessServer } from '../../../test/support/hostile/endless-server.js';
import { Loopback } from '../../../test/support/loopback.js';
import { EgressPolicy } from '../../tools/egress/egress-policy.js';
import { postMessage } from './post-message.js';

const loopback = new Loopback();
afterEach(() => loopback.close());

const serve = async (listener: RequestListener) =>
  `http://127.0.0.1:${await loopback.open(createServer(listener))}/secret-path`;
const post = (
  url: string,
  timeoutMs = 20_000,
  egress: Pick<EgressPolicy, 'resolve'> = EgressPolicy.of(undefined, undefined, []),
) =>
  postMessage(
    { url, body: '{"a":"é"}', headers: { 'webhook-id': '1' } },
    { egress, timeoutMs, signal: new AbortController().signal },
  );

it('posts JSON and returns the status', async () => {
  let sent: unknown;
  const url = await serve((request, response) => {
    const { method, headers } = request;
    request.setEncoding('utf8').on('data', (body: string) => (sent = { method, headers, body }));
    request.on('end', () => response.writeHead(204).end());
  });
  expect(await post(url)).toEqual({ status: 204 });
  expect(sent).toMatchObject({
    method: 'POST',
    body: '{"a":"é"}',
    headers: { 'content-type': 'application/json', 'content-length': '10', 'webhook-id': '1' },
  });
});

it('reads only the head of an answer that is huge or never ends', async () => {
  const huge = await serve((_, response) => void response.end('x'.repeat(50_000_000)));
  const endless = await serve((_, response) => void response.writeHead(200).write('x'));
  expect([await post(huge), await post(endless)]).toEqual([{ status: 200 }, { status: 200 }]);
});

it.each(BEFORE_HEAD)('fails at endless %s before the head of an answer', async (_, piece) => {
  const url = `http://127.0.0.1:${await loopback.open(endlessServer(piece))}/`;
  await expect(post(url)).rejects.toThrow('no complete head');
});

it('follows no redirect, and returns the pause that the receiver asks for', async () => {
  let hits = 0;
  const target = await serve((_, response) => void (hits++, response.end()));
  const moved = await serve(
    (_, response) => void response.writeHead(302, { location: target }).end(),
  );
  expect(await post(moved)).toEqual({ status: 302 });
  expect(hits).toBe(0);
  const busy = await serve(
    (_, response) => void response.writeHead(503, { 'retry-after': '7' }).end(),
  );
  expect(await post(busy)).toEqual({ status: 503, retryAfterSeconds: 7 });
});

it('fails without naming the address if the receiver is silent, resets, speaks no HTTP or is away', async () => {
  const silent = await serve(() => undefined);
  await expect(post(silent, 50)).rejects.toThrow('no answer within 0.05 s');
  const reset = await serve((request) => void request.socket.resetAndDestroy());
  const port = await loopback.open(createTcpServer((socket) => void socket.end('hello\r\n\r\n')));
  for (const url of [
    reset,
    `http://127.0.0.1:${port}/secret-path`,
    'http://127.0.0.1:1/secret-path',
  ]) {
    const failing = post(url);
    await expect(failing).rejects.toThrow();
    await expect(failing).rejects.not.toThrow(/secret-path/);
  }
});

it('tries the next address of a host if one refuses', async () => {
  const url = await serve((_, response) => void response.end());
  const resolve = async () => [
    { address: '127.0.0.2', family: 4 as const },
    { address: '127.0.0.1', family: 4 as const },
  ];
  const named = url.replace('127.0.0.1', 'receiver.test');
  expect(await post(named, 1_000, { resolve })).toEqual({ status: 200 });
});

it('connects only where the policy lets it', async () => {
  const url = await serve((_, response) => void response.end());
  const denying = EgressPolicy.of(undefined, '127.0.0.0/8', []);
  await expect(post(url, 1_000, denying)).rejects.toMatchObject({ code: 'EGRESS_DENIED' });
  await expect(post('http://169.254.169.254/')).rejects.toMatchObject({ code: 'EGRESS_DENIED' });
  await expect(post('nonsense')).rejects.toThrow('not a valid');
  await expect(post('ftp://127.0.0.1/')).rejects.toThrow('not a valid');
});
