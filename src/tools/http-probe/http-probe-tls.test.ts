import { createServer as createHttpsServer } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { testCa, testCertificate } from '../../../test/support/loopback.js';
import { issueKind } from '../../domain/diagnosis/issue-kind.js';
import { loopback, probe, serve } from '../../../test/support/processes/http-targets.js';

describe('http_probe over TLS', () => {
  test('names an expired certificate and measures the answer all the same', async () => {
    const asked: (string | undefined)[] = [];
    const port = await loopback.open(
      createHttpsServer(testCertificate('expired'), (request, response) => {
        asked.push(request.headers.authorization);
        response.end('ok');
      }),
    );
    const result = await probe(`https://user:s3cret@localhost:${port}/`, { ca: testCa() });
    expect(result).toMatchObject({
      status: 'failed',
      issues: [
        {
          severity: 'critical',
          symptom: 'invalid',
          title: 'certificate of localhost expired on 2021-01-01',
        },
      ],
      measurements: {
        status: 200,
        credentials_withheld: true,
        certificate: { host_matches: true },
      },
    });
    expect(asked).toEqual([undefined, undefined, undefined]);
    expect(result.summary).toMatch(/expired on 2021-01-01; answered 200/);
  });

  test('trusts a certificate of the topology, and sends it the credentials', async () => {
    const port = await loopback.open(
      createHttpsServer(testCertificate('valid'), (request, response) =>
        response.end(request.headers.authorization),
      ),
    );
    const url = `https://user:s3cret@localhost:${port}/`;
    const body = Buffer.from('user:s3cret').toString('base64');
    expect(await probe(url, { ca: testCa(), expectBody: body })).toMatchObject({
      status: 'ok',
      issues: [],
    });
    expect(await probe(url, { trustSelfSigned: true })).toMatchObject({ status: 'ok', issues: [] });
    expect((await probe(url)).issues).toMatchObject([
      {
        symptom: 'invalid',
        title: 'certificate of localhost has no trusted issuer (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
      },
    ]);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'a server that asks for a client certificate over %s',
    async (version) => {
      const port = await loopback.open(
        createHttpsServer({
          ...testCertificate('valid'),
          ca: testCa(),
          requestCert: true,
          rejectUnauthorized: true,
          minVersion: version,
          maxVersion: version,
        }),
      );
      const { issues } = await probe(`https://localhost:${port}/`, { ca: testCa() });
      // Before TLS 1.3 a server says no more than that it ends the handshake.
      expect(issues).toMatchObject([
        version === 'TLSv1.3'
          ? { kind: 'auth', steps: 'client-certificate' }
          : { kind: 'config', steps: 'tls-refused' },
      ]);
    },
  );

  test('a server without TLS behind https', async () => {
    const port = await serve((_, response) => response.end());
    expect((await probe(`https://127.0.0.1:${port}/`)).issues).toMatchObject([
      { kind: 'wrong-address', title: 'TLS handshake failed: the server does not use TLS' },
    ]);
  });

  test.each([
    ['closes the connection', (socket: Socket) => socket.destroy()],
    ['sends an alert', (socket: Socket) => socket.end(Buffer.from([21, 3, 1, 0, 2, 2, 70]))],
    [
      'says so in a 400',
      (socket: Socket) => socket.end('HTTP/1.0 400 Bad Request\r\n\r\nThis is an HTTPS port.\n'),
    ],
  ])('a port for TLS that %s is a wrong address, not a crash', async (_, refuse) => {
    const https = await loopback.open(createHttpsServer(testCertificate('valid')));
    const port = await loopback.open(
      createServer((socket) =>
        socket.once('data', (first: Buffer) => {
          if (first[0] !== 22) {
            refuse(socket);
            return;
          }
          const behind = connect(https, '127.0.0.1');
          behind.on('error', () => undefined).write(first);
          socket.pipe(behind).pipe(socket);
        }),
      ),
    );
    const { status, issues } = await probe(`http://127.0.0.1:${port}/`);
    expect(status).toBe('failed');
    expect(issues).toEqual([
      expect.objectContaining({
        kind: 'wrong-address',
        symptom: 'invalid',
        title: 'the address speaks TLS: use https://',
      }),
    ]);
  });

  test('behind a load balancer that takes turns, only the tries take turns', async () => {
    let turn = 0;
    const port = await loopback.open(
      createServer((socket) => {
        const isWell = turn++ % 2 === 1;
        socket.once('data', () =>
          isWell
            ? socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
            : socket.destroy(),
        );
      }),
    );
    const { measurements, issues } = await probe(`http://127.0.0.1:${port}/`);
    expect(measurements).toMatchObject({ tries: 10, failed_tries: 5 });
    expect(issues).toMatchObject([{ intermittent: true }]);
    expect(turn).toBe(10);
  });

  test('a server that closes connections with and without TLS is reset', async () => {
    const port = await loopback.open(
      createServer((socket) => socket.once('data', () => socket.destroy())),
    );
    const { issues } = await probe(`http://127.0.0.1:${port}/`);
    expect(issues.map((issue) => [issueKind(issue), issue.title])).toEqual([
      ['exception', 'connection closed before the answer was complete'],
    ]);
  });
});
