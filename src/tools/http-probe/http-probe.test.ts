import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { closedPort, contextOf, nodeOf } from '../../../test/support/loopback.js';
import { httpProbe } from './http-probe.js';
import { loopback, probe, serve, serviceAt } from '../../../test/support/processes/http-targets.js';

describe('http_probe', () => {
  test('applies to services with an http(s) endpoint', () => {
    expect(httpProbe.appliesTo(serviceAt('http://127.0.0.1:80/x'))).toBe(true);
    expect(httpProbe.appliesTo(serviceAt('https://[::1]:8443'))).toBe(true);
    expect(httpProbe.appliesTo(serviceAt('127.0.0.1:80'))).toBe(false);
    expect(httpProbe.appliesTo(nodeOf('service'))).toBe(false);
    expect(httpProbe.appliesTo(nodeOf('tcp', 'http://127.0.0.1'))).toBe(false);
  });

  test('measures a healthy service', async () => {
    const port = await serve((_, response) => response.end('all well'));
    const result = await probe(`http://127.0.0.1:${port}/health`, { expectBody: 'well' });
    expect(result).toMatchObject({
      status: 'ok',
      issues: [],
      measurements: { status: 200, statuses: { '200': 3 }, tries: 3, failed_tries: 0 },
    });
    expect(result.summary).toMatch(/^answered 200 OK in [\d.]+ ms \(median of 3\)$/);
  });

  test('measures over IPv6', async () => {
    const port = await loopback.open(
      createServer((_, response) => response.end()),
      '::1',
    );
    expect(await probe(`http://[::1]:${port}/`)).toMatchObject({ status: 'ok' });
  });

  test('reports a wrong status with an excerpt of the body, cleaned of control characters and passwords', async () => {
    const port = await serve((_, response) =>
      response.writeHead(502).end('upstream\u001b[31m down\n redis://u:hunter22@db:1 and s3cret'),
    );
    const result = await probe(`http://me:s3cret@127.0.0.1:${port}/`);
    expect(result).toMatchObject({
      status: 'failed',
      issues: [{ severity: 'critical', symptom: 'erroring', title: 'answers 502 Bad Gateway' }],
      measurements: { body_excerpt: 'upstream [31m down redis://***@db:1 and ***' },
    });
    expect(result.summary).toMatch(/^answers 502 Bad Gateway in [\d.]+ ms \(3 of 3 tries\)$/);
    expect(result.issues[0]?.detail).toMatch(/ It said: "upstream.*"\.$/);
    expect(JSON.stringify(result)).not.toMatch(/hunter22|s3cret/);
  });

  test.each([
    [401, 'auth'],
    [403, 'auth'],
    [429, 'rate-limited'],
    [504, 'timeout'],
    [500, undefined],
    [507, 'disk-full'],
    [509, 'rate-limited'],
    [529, 'load'],
    [599, 'timeout'],
    [999, undefined],
  ])('the status %i gives the kind %s', async (status, kind) => {
    const port = await serve((_, response) => response.writeHead(status).end());
    const { issues } = await probe(`http://127.0.0.1:${port}/`, { expectStatus: 200 });
    expect(issues.map((issue) => issue.kind)).toEqual([kind]);
  });

  test('misses the expected text', async () => {
    const port = await serve((_, response) => response.end('sorry'));
    const long = await serve((_, response) => response.end(`${'x'.repeat(70_000)}receipt`));
    expect(await probe(`http://127.0.0.1:${long}/`, { expectBody: 'receipt' })).toMatchObject({
      status: 'ok',
      partial: true,
      issues: [
        { severity: 'info', title: expect.stringContaining('part of the answer') as unknown },
      ],
    });
    expect(await probe(`http://127.0.0.1:${port}/`, { expectBody: 'receipt' })).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'erroring', title: 'answers 200, but without the expected text' }],
    });
  });

  test('a slow answer is a warning, a nearly slow one is near', async () => {
    const port = await serve((_, response) => void setTimeout(() => response.end(), 97));
    const url = `http://127.0.0.1:${port}/`;
    expect(await probe(url, { slowMs: 50 }, { tries: 1 })).toMatchObject({
      status: 'degraded',
      issues: [{ severity: 'warning', symptom: 'slow' }],
    });
    const near = await probe(url, { slowMs: 107 }, { tries: 5 });
    if (near.status === 'ok')
      expect(near.near).toMatchObject([{ metric: 'latency_ms', threshold: 107 }]);
  });

  test('distinguishes refused, reset, no answer, no such name and no HTTP', async () => {
    const refused = await probe(`http://127.0.0.1:${await closedPort()}/`);
    expect(refused).toMatchObject({
      status: 'failed',
      issues: [{ symptom: 'unreachable', title: 'connection refused (ECONNREFUSED)' }],
    });
    expect(refused.summary).toBe('connection refused (ECONNREFUSED) (3 of 3 tries)');

    const reset = await loopback.open(
      createTcpServer((socket) => socket.once('data', () => socket.resetAndDestroy())),
    );
    expect((await probe(`http://127.0.0.1:${reset}/`)).issues).toMatchObject([
      { symptom: 'erroring', title: 'connection closed before the answer was complete' },
    ]);

    const silent = await loopback.open(createTcpServer((socket) => socket.resume()));
    const timeout = await probe(`http://127.0.0.1:${silent}/`, { timeoutMs: 150 }, { tries: 2 });
    expect(timeout.issues).toMatchObject([
      {
        severity: 'critical',
        symptom: 'slow',
        title: 'connected, but no complete answer within 150 ms',
        duration_ms: 150,
      },
    ]);

    const nameless = await probe('http://no-such-host.invalid/', {}, { tries: 1 });
    expect(nameless.issues).toMatchObject([
      { symptom: 'nameless', title: expect.stringContaining('host name') as unknown },
    ]);

    const garbage = await loopback.open(
      createTcpServer((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n'))),
    );
    expect((await probe(`http://127.0.0.1:${garbage}/`)).issues[0]?.title).toContain(
      'does not use HTTP',
    );
  });

  test('tells a service that ends and is started again from one that is gone', async () => {
    let isProbed = true;
    const again = () => isProbed && server.listen(port, '127.0.0.1');
    const server = createTcpServer((socket) =>
      socket.once('data', () => {
        server.close(() => setTimeout(again, 100));
        socket.resetAndDestroy();
      }),
    );
    const port = await loopback.open(server);
    const { issues } = await probe(`http://127.0.0.1:${port}/`);
    isProbed = false;
    expect(issues).toMatchObject([
      {
        severity: 'critical',
        symptom: 'unreachable',
        kind: 'crash-loop',
        title: 'keeps restarting (closes connections before it answers, is gone, comes back)',
      },
    ]);
  });

  test('reports that only some tries fail, and tries more often', async () => {
    let count = 0;
    const port = await serve((_, response) =>
      response.writeHead(++count % 3 === 0 ? 500 : 200).end(),
    );
    const result = await probe(`http://127.0.0.1:${port}/`, {}, { tries: 3 });
    expect(result).toMatchObject({
      status: 'degraded',
      issues: [
        { severity: 'warning', title: 'fails now and then: answers 500 Internal Server Error' },
      ],
    });
    expect(result.issues[0]?.detail).toContain('3 of 10 tries failed');
  });

  test.each([401, 403])('takes %d without credentials for reachability', async (status) => {
    const port = await serve((_, response) => response.writeHead(status).end());
    const result = await probe(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({
      status: 'ok',
      issues: [{ severity: 'info', symptom: 'advisory' }],
      measurements: { status, failed_tries: 0 },
    });
    expect(result.issues[0]?.title).toContain('only its reachability was measured');
    for (const [url, attributes] of [
      [`http://u:wrong-one@127.0.0.1:${port}/`, {}],
      [`http://127.0.0.1:${port}/`, { expectStatus: 200 }],
    ] as const)
      expect(await probe(url, attributes)).toMatchObject({ status: 'failed' });
  });

  test('reads a bounded part of an endless body, and nothing of an event stream', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/events')
        return void response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .write(': hello\n\n');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        response.once('drain', more);
      };
      more();
    });
    expect((await probe(`http://127.0.0.1:${port}/`)).status).toBe('ok');
    expect((await probe(`http://127.0.0.1:${port}/events`)).status).toBe('ok');
    expect(await loopback.openConnections()).toBe(0);
  });

  test('stops at once when its signal fires, and closes its connection', async () => {
    const port = await loopback.open(createTcpServer((socket) => socket.resume()));
    const controller = new AbortController();
    const reason = new Error('cancelled');
    const running = httpProbe.run(
      { node: 'target' },
      // Nothing else ends it before Jest gives the test up.
      contextOf(serviceAt(`http://127.0.0.1:${port}/`, { timeoutMs: 10_000 }), {
        signal: controller.signal,
      }),
    );
    setTimeout(() => controller.abort(reason), 50);
    await expect(running).rejects.toBe(reason);
    expect(await loopback.openConnections()).toBe(0);
  });
});
