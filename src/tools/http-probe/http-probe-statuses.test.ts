import { createServer as createTcpServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { loopback, probe, serve } from '../../../test/support/processes/http-targets.js';

describe('a status', () => {
  test('names a status by its code, whatever phrase the server sends', async () => {
    const port = await serve((_, response) =>
      response.writeHead(500, '![r](http://evil.example/r)').end(),
    );
    const result = await probe(`http://127.0.0.1:${port}/`);
    expect(result.issues[0]?.title).toBe('answers 500 Internal Server Error');
    expect(JSON.stringify(result)).not.toContain('evil');
  });

  test('reports a server that changes to another protocol, although it was not asked to', async () => {
    const port = await loopback.open(
      createTcpServer((socket) =>
        socket
          .on('error', () => undefined)
          .end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      ),
    );
    expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
      status: 'failed',
      issues: [{ title: 'answers 101 Switching Protocols' }],
      measurements: { status: 101 },
    });
  });

  test.each([
    [405, '', {}, { kind: 'wrong-address', steps: 'no-path' }],
    [502, 'upstream gone', {}, { steps: 'gateway' }],
    [504, '', {}, { kind: 'timeout', steps: 'gateway' }],
    [
      511,
      'permission denied',
      {},
      {
        kind: 'network-policy',
        steps: 'captive-portal',
        title: 'answers 511 Network Authentication Required',
        detail: expect.stringContaining('This answer is from a network in between'),
      },
    ],
    [407, '', {}, { kind: 'auth', steps: 'proxy-login' }],
    [421, '', {}, { kind: 'wrong-address', steps: 'host-not-served' }],
    [431, '', {}, { kind: 'config', steps: 'request-too-large' }],
    [497, '', {}, { kind: 'wrong-address', steps: 'tls' }],
    [
      521,
      '',
      {},
      {
        steps: 'gateway',
        title: 'answers 521',
        detail: expect.stringContaining('the server behind it refuses connections'),
      },
    ],
    [524, '', {}, { kind: 'timeout', steps: 'gateway' }],
    [
      400,
      '<html><center>No required SSL certificate was sent</center></html>',
      {},
      { kind: 'auth', steps: 'client-certificate' },
    ],
    [200, '', { expectStatus: 204 }, { kind: 'wrong-result' }],
    [
      503,
      '{"status":"DOWN","components":{"db":{"status":"DOWN"},"disk":{"status":"UP"}}}',
      {},
      { steps: 'unhealthy-part', part: 'db' },
    ],
  ])('%d with the body "%s" says what to look at', async (status, body, attributes, expected) => {
    const port = await serve((_, response) => response.writeHead(status).end(body));
    const { issues } = await probe(`http://127.0.0.1:${port}/`, attributes);
    expect(issues).toMatchObject([expected]);
  });

  test('expectStatus may be a number, a range or a list', async () => {
    const port = await serve((_, response) => response.writeHead(404).end());
    const url = `http://127.0.0.1:${port}/`;
    expect((await probe(url)).issues).toMatchObject([
      { kind: 'wrong-address', steps: 'no-path', title: 'answers 404 Not Found' },
    ]);
    expect((await probe(url, { expectStatus: 404 })).status).toBe('ok');
    expect((await probe(url, { expectStatus: [200, '400-410'] })).status).toBe('ok');
    expect((await probe(url, { expectStatus: '200, 204' })).issues[0]?.detail).toContain(
      'Expected status 200, 204',
    );
    await expect(probe(url, { expectStatus: 'fine' })).rejects.toThrow(
      /attribute expectStatus of node target must be a status/,
    );
  });
});
