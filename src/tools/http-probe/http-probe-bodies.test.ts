import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { probe, serve } from '../../../test/support/http-targets.js';

test.each<[string, string, string | Buffer]>([
  ['a text that does not end', '', 'x'.repeat(70_000)],
  ['a gzip bomb', 'gzip', gzipSync(`{"status":"UP","log":"${'x'.repeat(8 * 2 ** 20)}"}`)],
  ['a compression that is not read', 'zstd', '{"status":"DOWN"}'],
])('%s checks no service', async (_, encoding, body) => {
  const port = await serve((_request, response) =>
    response.writeHead(200, encoding === '' ? {} : { 'content-encoding': encoding }).end(body),
  );
  expect(await probe(`http://127.0.0.1:${port}/`)).toMatchObject({
    ...{ status: 'ok', partial: true },
    summary: expect.stringMatching(/^answered 200 OK .*; what it says of its health was not read/),
    issues: [{ severity: 'info', title: 'what it says of its health was not read to the end' }],
  });
});

test.each([
  [
    'an expected text',
    { expectBody: 'Welcome' },
    /; the expected text is not in the part of the answer/,
  ],
  ['nothing of it', {}, /^answered 200 OK in [\d.]+ ms \(median of \d+\)$/],
])(
  'says that a long page was not read whole if the topology asks for %s',
  async (_, asked, summary) => {
    const port = await serve((_request, response) => response.end(`<html>${'x'.repeat(70_000)}`));
    expect(await probe(`http://127.0.0.1:${port}/`, asked)).toMatchObject({
      ...{ status: 'ok', summary: expect.stringMatching(summary) },
    });
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
