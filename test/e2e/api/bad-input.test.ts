import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectRefusal, type Faults } from '../../support/expect-refusal.js';
import { Scene } from '../../support/scene.js';
import type { Api, Question } from '../../support/api.js';

let scene: Scene;
let api: Api;
let topologyId: number;
beforeAll(async () => {
  ({ scene, api, topologyId } = await Scene.ofShop());
});
afterAll(() => scene.close());
/** The service answers the next request after any input. */
afterEach(async () => expect((await fetch(`${api.url}/health/ready`)).status).toBe(200));

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
