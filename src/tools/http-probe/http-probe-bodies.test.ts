import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { expectSound } from '../../../test/support/streams/expect-sound.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { probe, serve, serviceAt } from '../../../test/support/processes/http-targets.js';
import { httpProbe } from './http-probe.js';

test.each<[string, string, string | Buffer]>([
  ['a text that does not end', '', 'x'.repeat(70_000)],
  ['a gzip bomb', 'gzip', gzipSync(`{"status":"UP","log":"${'x'.repeat(8 * 2 ** 20)}"}`)],
  ['a compression that is not read', 'zstd', '{"status":"DOWN"}'],
])('%s checks no service', async (_, encoding, body) => {
  const port = await serve((_request, response) =>
    response.writeHead(200, encoding === '' ? {} : { 'content-encoding': encoding }).end(body),
  );
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    status: 'ok',
    partial: true,
    summary: expect.stringMatching(/^answered 200 OK .*; its health report was not read/),
    issues: [{ severity: 'info', title: 'its health report was not read to the end' }],
  });
});

test.each([
  [
    'an expected text',
    { expectBody: 'Welcome' },
    /; the expected text is not in the part of the answer/,
    /longer than the 65536 bytes that are read/,
  ],
  ['nothing of it', {}, /^answered 200 OK in [\d.]+ ms \(median of \d+\)$/, /^$/],
])(
  'says that a long page was not read whole if the topology asks for %s',
  async (_, asked, summary, why) => {
    const port = await serve((_request, response) => response.end(`<html>${'x'.repeat(70_000)}`));
    const {
      status,
      not_read: notRead = '',
      ...made
    } = await probe(`http://127.0.0.1:${port}/`, asked);
    expect(status).toBe('ok');
    expect(made.summary).toMatch(summary);
    expect(notRead).toMatch(why);
  },
);

test.each([
  ['gzip', gzipSync('{"status":"DOWN"}')],
  ['deflate', deflateSync('{"status":"DOWN"}')],
])('reads a health body that is compressed by %s unasked', async (encoding, body) => {
  const port = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(body),
  );
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    issues: [{ severity: 'critical', title: 'answers 200, but says it is DOWN' }],
  });
});

test('says that a compressed answer is broken', async () => {
  const port = await serve((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
  );
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    issues: [{ symptom: 'erroring', title: 'the compressed answer is broken (Z_DATA_ERROR)' }],
  });
});

test('B8: quotes a page for people as one, so that its words state no failure', async () => {
  const port = await serve((_request, response) =>
    response.writeHead(500).end('<h1>Disk full</h1>'),
  );
  const [issue] = (await probe(`http://127.0.0.1:${port}/`)).issues;
  expect(issue?.detail).toContain('Its page begins: "<h1>Disk full</h1>".');
});

test('reads a health body that complains, and which node it names', async () => {
  const db = { ...nodeOf('tcp', '127.0.0.1:55432'), id: 'db' };
  const error =
    'connection to server at "127.0.0.1", port 55432 failed: FATAL: remaining connection slots are reserved';
  const port = await serve((_, response) =>
    response.end(
      JSON.stringify({
        status: 'DOWN',
        components: { db: { status: 'DOWN', details: { error } } },
      }),
    ),
  );
  const node = serviceAt(`http://127.0.0.1:${port}/health`);
  const result = expectSound(
    await httpProbe.run({ node: 'target', tries: 1 }, contextOf(node, { nodes: [db] })),
  );
  expect(result).toMatchObject({
    status: 'failed',
    issues: [
      {
        severity: 'critical',
        symptom: 'erroring',
        steps: 'unhealthy-part',
        part: 'db',
        title: 'answers 200, but says it is DOWN: db',
      },
    ],
    mentions: [{ node: 'db', endpoint: '127.0.0.1:55432', symptom: 'saturated' }],
  });
  expect(result.issues[0]?.detail).toContain('remaining connection slots are reserved');
  // An expected text is the operator's own judgement.
  expect(await probe(node.endpoint ?? '', { expectBody: 'status' })).toMatchObject({
    status: 'ok',
  });
});

test('quotes a health body that says no more than that', async () => {
  const port = await serve((_, response) => response.end('{"status":"DOWN","why":"db is gone"}'));
  expect((await probe(`http://127.0.0.1:${port}/`)).issues).toMatchObject([
    { detail: expect.stringContaining('It said: "{"status":"DOWN","why":"db is gone"}".') },
  ]);
});

test('takes a part that is not well for a warning, though the service says it is', async () => {
  const body = '{"status":"ok","checks":{"redis":{"status":"fail","output":"gone"}}}';
  const port = await serve((_, response) => response.end(body));
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    status: 'degraded',
    issues: [
      {
        severity: 'warning',
        symptom: 'advisory',
        title: 'answers 200, but says it is ok except for redis',
        detail:
          '3 of 3 tries failed. Expected an answer that says it is well. It said: "redis: gone".',
      },
    ],
  });
});

test('a health body that is longer than what is read checks no service', async () => {
  const long = `"log":"${'x'.repeat(70_000)}"`;
  const port = await serve(({ url }, response) =>
    response.end(url === '/sick' ? `{"status":"DOWN",${long}}` : `{"status":"UP",${long}}`),
  );
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    status: 'ok',
    partial: true,
    issues: [{ severity: 'info', title: 'its health report was not read to the end' }],
  });
  expect(await probe(`http://127.0.0.1:${port}/sick`)).toMatchObject({
    status: 'failed',
    issues: [{ title: 'answers 200, but says it is DOWN' }, { severity: 'info' }],
  });
});

test('takes a health body with a warning for a warning', async () => {
  const port = await serve((_, response) => response.end('{"status":"warn"}'));
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    status: 'degraded',
    issues: [{ severity: 'warning', symptom: 'advisory' }],
  });
});
