import { createServer as createHttpsServer } from 'node:https';
import { describe, expect, test } from '@jest/globals';
import { testCa, testCertificate } from '../../../test/support/loopback.js';
import { loopback, probe, serve } from '../../../test/support/http-targets.js';

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

  test('a server without TLS behind https', async () => {
    const port = await serve((_, response) => response.end());
    expect((await probe(`https://127.0.0.1:${port}/`)).issues).toMatchObject([
      { symptom: 'invalid', title: 'TLS handshake failed: wrong version number' },
    ]);
  });
});
