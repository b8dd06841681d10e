import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectValid } from '../support/event-stream.js';
import { Scene } from '../support/scene.js';
import type { Answer, Api, Question } from '../support/api.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterAll(() => scene.close());
/** The service answers the next request after any input. */
afterEach(async () => expect((await fetch(`${api.url}/health/ready`)).status).toBe(200));

interface Faults {
  errors: { path: string; message: string }[];
}

/** What every refusal is: the envelope, and nothing of our insides. */
function expectRefusal(answer: Answer<unknown>, status: number, code: string): void {
  expect([answer.status, answer.code, answer.text]).toEqual([status, code, answer.text]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['code', 'message', 'data']);
  expect(answer.message).not.toBe('');
  if (code === 'VALIDATION_FAILED')
    for (const fault of (answer.data as Faults).errors)
      expect(fault).toEqual({
        path: expect.any(String) as unknown,
        message: expect.stringMatching(/./) as unknown,
      });
  else expect(answer.data).toBeNull();
  // No stack, no file, no name of a package or of a variable of ours.
  expect(answer.text).not.toMatch(
    /\bat \S+ \(|node_modules|\.[jt]s\b|\/work\/|\/home\/|\/src\/|file:|ioredis|bullmq|nestjs|undefined|NaN|\[object/i,
  );
}

const trigger = (question: Question) => api.ask<Faults>('POST', '/executions/trigger', question);
const whole = (more: object) => ({ topologyId, userMessage: 'Something seems wrong.', ...more });

describe('a trigger with a body that is not right', () => {
  test.each<[string, unknown, string[]]>([
    ['topologyId as a string', { topologyId: '1' }, ['topologyId']],
    ['topologyId 0', { topologyId: 0 }, ['topologyId']],
    ['topologyId negative', { topologyId: -1 }, ['topologyId']],
    ['topologyId huge', { topologyId: 2 ** 53 }, ['topologyId']],
    ['topologyId beyond a double', '{"topologyId": 1e400, "userMessage": "x"}', ['topologyId']],
    ['topologyId a fraction', { topologyId: 1.5 }, ['topologyId']],
    ['topologyId null', { topologyId: null }, ['topologyId']],
    ['topologyId a list', { topologyId: [1] }, ['topologyId']],
    ['topologyId an object', { topologyId: { $gt: 0 } }, ['topologyId']],
    ['topologyId missing', '{"userMessage": "x"}', ['topologyId']],
    ['userMessage empty', { userMessage: '' }, ['userMessage']],
    ['userMessage blank', { userMessage: ' \n\t\u00a0 ' }, ['userMessage']],
    ['userMessage invisible', { userMessage: '\u200b\ufeff\u2060\u0000' }, ['userMessage']],
    ['userMessage of 10,001 characters', { userMessage: 'x'.repeat(10_001) }, ['userMessage']],
    [
      'userMessage of 10,001 characters outside of the BMP',
      { userMessage: '🙂'.repeat(10_001) },
      ['userMessage'],
    ],
    ['userMessage a number', { userMessage: 5 }, ['userMessage']],
    ['userMessage a list', { userMessage: ['x'] }, ['userMessage']],
    [
      'userMessage an object with a length',
      { userMessage: { length: 1, trim: 1 } },
      ['userMessage'],
    ],
    ['userMessage null', { userMessage: null }, ['userMessage']],
    ['userMessage missing', '{"topologyId": 1}', ['userMessage']],
    [
      'everything wrong',
      { topologyId: 'x', userMessage: 1, onDisconnect: 'x', limits: [] },
      ['topologyId', 'userMessage', 'onDisconnect', 'limits'],
    ],
    ['onDisconnect unknown', { onDisconnect: 'explode' }, ['onDisconnect']],
    ['limits no object', { limits: 5 }, ['limits']],
    ['limits null', { limits: null }, ['limits']],
    ['an unknown limit', { limits: { maxIterations: 3, speed: 9 } }, ['limits.speed']],
    [
      'limits out of bounds',
      { limits: { maxIterations: 51, timeoutSeconds: 9 } },
      ['limits.maxIterations', 'limits.timeoutSeconds'],
    ],
    ['a limit as a string', { limits: { tokenBudget: '1000' } }, ['limits.tokenBudget']],
    ['a list', '[]', ['body']],
    ['a text', '"topologyId"', ['body']],
    ['null', 'null', ['body']],
    ['an empty object', '{}', ['topologyId', 'userMessage']],
  ])('%s', async (_, body, paths) => {
    const answer = await trigger({ body: typeof body === 'string' ? body : whole(body as object) });
    expectRefusal(answer, 400, 'VALIDATION_FAILED');
    expect(answer.data.errors.map(({ path }) => path)).toEqual(paths);
  });

  test.each<[string, string]>([
    ['cut off', '{"topologyId": 1, "userMess'],
    ['no JSON at all', 'topologyId=1'],
    ['with a comma too many', '{"topologyId": 1,}'],
    ['empty', ''],
    ['a NUL', '\0'],
    ['nested deeply', '['.repeat(60_000)],
  ])('malformed: %s', async (_, body) => {
    expectRefusal(await trigger({ body }), 400, 'VALIDATION_FAILED');
  });

  test('names that JavaScript has for itself change nothing', async () => {
    const body = `{"__proto__": {"topologyId": ${topologyId}, "userMessage": "x"}, "constructor": {"prototype": {"x": 1}}}`;
    const answer = await trigger({ body });
    expectRefusal(answer, 400, 'VALIDATION_FAILED');
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test.each([1, 999_999, Number.MAX_SAFE_INTEGER])('an unknown topology: %d', async (id) => {
    expectRefusal(await trigger({ body: whole({ topologyId: id }) }), 404, 'TOPOLOGY_NOT_FOUND');
    expectRefusal(
      await trigger({ body: whole({ topologyId: id }), headers: { accept: 'text/event-stream' } }),
      404,
      'TOPOLOGY_NOT_FOUND',
    );
  });
});

describe('a body that is too much, or of another kind', () => {
  test('over 64 kB, by its length or only as it comes', async () => {
    const body = JSON.stringify(whole({ userMessage: 'x'.repeat(1_100_000) }));
    expectRefusal(await trigger({ body }), 413, 'PAYLOAD_TOO_LARGE');
    expectRefusal(await api.ask('POST', '/executions/cancel', { body }), 413, 'PAYLOAD_TOO_LARGE');
    const packed = await fetch(api.at('/executions/trigger'), {
      method: 'POST',
      body: gzipSync(body),
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect(packed.status).toBe(413);
  });

  test('just under 64 kB is read: it is the message that is too long', async () => {
    const body = whole({ userMessage: 'x', padding: 'y'.repeat(65_000) });
    expect((await trigger({ body })).status).toBe(202);
    expectRefusal(
      await trigger({ body: whole({ userMessage: 'x'.repeat(65_000) }) }),
      400,
      'VALIDATION_FAILED',
    );
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'multipart/form-data; boundary=x',
    'nonsense',
    'application/jsonp',
  ])('content type %s', async (type) => {
    const body = JSON.stringify(whole({}));
    expectRefusal(
      await trigger({ body, headers: { 'content-type': type } }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  test.each([
    { 'content-type': 'application/json; charset=klingon' },
    { 'content-type': 'application/json', 'content-encoding': 'lzma' },
  ])('%j', async (headers) => {
    expectRefusal(
      await trigger({ body: JSON.stringify(whole({})), headers }),
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    );
  });

  test('a body that says it is packed and is not', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expectRefusal(
      await trigger({ body: JSON.stringify(whole({})), headers }),
      400,
      'VALIDATION_FAILED',
    );
  });

  test.each(['application/json; charset=utf-8', 'application/problem+json', 'APPLICATION/JSON'])(
    'content type %s is taken',
    async (type) => {
      expect(
        (await trigger({ body: JSON.stringify(whole({})), headers: { 'content-type': type } }))
          .status,
      ).toBe(202);
    },
  );
});

describe('an unknown run', () => {
  const odd = [
    ['a UUID that no run has', randomUUID()],
    ['no UUID', 'abc'],
    ['a number', '1'],
    ['upper case', randomUUID().toUpperCase()],
    ['a UUID and more', `${randomUUID()}x`],
    ['a line end', `${randomUUID()}%0a`],
    ['a NUL', '%00'],
    ['dots', '..%2f..%2fetc%2fpasswd'],
    ['a pattern', '*'],
    ['braces', '%7Bindex%7D'],
    ['a colon', 'a:b'],
    ['quotes', '%22%27%60'],
    ['other scripts', encodeURIComponent('דוח-✓-🙂')],
    ['markup', '%3Cscript%3E'],
    ['__proto__', '__proto__'],
    ['5,000 characters', 'x'.repeat(5_000)],
  ];
  test.each(odd)('%s', async (_, id) => {
    expectRefusal(await api.ask('GET', `/executions/${id}`), 404, 'RUN_NOT_FOUND');
    expectRefusal(await api.ask('GET', `/executions/${id}/events`), 404, 'RUN_NOT_FOUND');
    expectRefusal(
      await api.ask('GET', `/executions/${id}/events`, {
        headers: { accept: 'text/event-stream' },
      }),
      404,
      'RUN_NOT_FOUND',
    );
    expectRefusal(
      await api.ask('POST', '/executions/cancel', { body: { runId: decodeURIComponent(id) } }),
      404,
      'RUN_NOT_FOUND',
    );
  });

  test('an id that cannot be decoded', async () => {
    expectRefusal(await api.ask('GET', '/executions/%zz'), 400, 'VALIDATION_FAILED');
  });

  test.each([
    [{}],
    [{ runId: 5 }],
    [{ runId: null }],
    [{ runId: ['x'] }],
    [{ runId: {} }],
    [[]],
    ['null'],
  ])('cancel of %j', async (body) => {
    expectRefusal(await api.ask('POST', '/executions/cancel', { body }), 400, 'VALIDATION_FAILED');
  });
});

describe('the rest', () => {
  test.each(['flats', '', 'EXECUTOR', 'ai_sdk', 'a&format=executor'])(
    'an unknown format: %j',
    async (format) => {
      const body = whole({});
      expectRefusal(
        await api.ask('POST', `/executions/trigger?format=${format}`, { body }),
        400,
        'VALIDATION_FAILED',
      );
      expectRefusal(
        await api.ask('GET', `/executions/${randomUUID()}/events?format=${format}`),
        400,
        'VALIDATION_FAILED',
      );
    },
  );

  test.each(['0', '7', 'x'])(
    'a blind retry with Last-Event-ID %s starts no second run',
    async (id) => {
      const before = await api.ask<{ items: unknown[] }>('GET', '/executions?limit=200');
      expectRefusal(
        await trigger({
          body: whole({}),
          headers: { 'last-event-id': id, accept: 'text/event-stream' },
        }),
        400,
        'VALIDATION_FAILED',
      );
      const after = await api.ask<{ items: unknown[] }>('GET', '/executions?limit=200');
      expect(after.data.items).toHaveLength(before.data.items.length);
    },
  );

  test.each([
    ['GET', '/nowhere'],
    ['GET', '/executions/trigger/x/y'],
  ])('there is no %s %s', async (method, path) => {
    expectRefusal(await api.ask(method, path), 404, 'NOT_FOUND');
  });

  test.each([
    ['DELETE', '/executions'],
    ['PUT', '/executions/trigger'],
    ['PATCH', `/executions/${randomUUID()}`],
  ])('refuses the method of %s %s', async (method, path) => {
    const answer = await api.ask(method, path);
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED');
    expect(answer.headers.get('allow')).not.toBeNull();
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['status=done', 'status'],
    ['kind=magic', 'kind'],
    ['topologyId=x', 'topologyId'],
    ['topologyId=0', 'topologyId'],
    ['cursor=nonsense', 'cursor'],
    ['cursor=', 'cursor'],
    ['status=queued&status=done', 'status'],
    ['limit=1&limit=2', 'limit'],
  ])('a list with ?%s', async (query, path) => {
    const answer = await api.ask<Faults>('GET', `/executions?${query}`);
    expectRefusal(answer, 400, 'VALIDATION_FAILED');
    expect(answer.data.errors.map((fault) => fault.path)).toEqual([path]);
  });

  test.each([
    ['nonsense', 'BLAH\r\n\r\n'],
    ['a head that does not end', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`],
    [
      'two lengths',
      'POST /api/service/v1/executions/trigger HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
    ],
    [
      'a body that is never finished',
      'POST /api/service/v1/executions/trigger HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{',
    ],
  ])('bytes on the wire that are no request: %s', async (_, bytes) => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.end(bytes);
    let heard = '';
    socket.on('data', (chunk) => (heard += chunk.toString())).on('error', () => undefined);
    await once(socket, 'close');
    expect(heard).not.toMatch(/\bat \S+ \(|node_modules|\/work\//);
  });

  test.each([
    ['long, and outside of the BMP', `${'🙂'.repeat(9_999)}"`],
    [
      'what would end a line or a frame',
      'a\r\nb\n\nevent: lifecycle.completed\nid: 9\ndata: {}\n\n\u2028\u2029\u0085 z',
    ],
    ['NULs and half a character', 'a\0b\u0001\ud800'],
    [
      'what a template, a script or a pattern would take for its own',
      '${x} %s {{y}} $(z) ; DROP \'"\\ [A-z]+(.*)*$ </script>',
    ],
  ])(
    'after all of it a diagnosis still works, with any text as its message: %s',
    async (_, message) => {
      const stream = await (await api.trigger(topologyId, { userMessage: message })).end();
      const events = expectValid(stream.text);
      expect([events[0]?.data['user_message'], events.at(-1)?.key]).toEqual([
        message,
        'lifecycle.completed',
      ]);
      expect((await api.show(stream.runId)).userMessage).toBe(message);
    },
  );
});
