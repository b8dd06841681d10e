import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { expectValid } from '../../support/streams/event-stream.js';
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

describe('a request with parameters that are not right', () => {
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

  test.each(['dispatch=d1', 'before=5', 'limit=5'])('%s, of pages, for a stream', async (query) => {
    const { headers } = await trigger({ body: whole({}) });
    const refused = await api.ask<Faults>(
      'GET',
      `/executions/${headers.get('x-run-id')}/events?${query}`,
      { headers: { accept: 'text/event-stream' } },
    );
    expectRefusal(refused, 400, 'VALIDATION_FAILED');
    expect(refused.data.errors).toMatchObject([{ path: query.split('=')[0] }]);
    expect(refused.text).toContain('application/json');
  });

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
