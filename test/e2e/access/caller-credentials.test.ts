import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { as, ask } from '../../support/chat.js';
import { Scene } from '../../support/scene.js';
import { held, healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

type Headers = Record<string, string>;

let scene: Scene;
let api: Api;
/** A service whose callers have one message in a month. */
let small: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
  small = await scene.service({
    MONTHLY_MESSAGES: '1',
    REDIS_PREFIX: `${scene.redis.prefix}.small`,
  });
});
afterAll(() => scene.close());

/**
 * Two callers from one address, by what tells them apart. What follows says that it is stronger
 * than what comes after it.
 */
const CALLERS: Record<string, [one: Headers, other: Headers]> = {
  'Authorization, not by a key or a cookie that they share': [
    { authorization: 'Bearer one', 'x-api-key': 'shared', ...as('shared-a') },
    { authorization: 'Bearer two', 'x-api-key': 'shared', ...as('shared-a') },
  ],
  'X-API-Key, not by a cookie that they share': [
    { 'x-api-key': 'one', ...as('shared-b') },
    { 'x-api-key': 'two', ...as('shared-b') },
  ],
  'a cookie': [as('one'), as('two')],
  'a credential that only one of them sends': [{ authorization: 'Basic b25lOnA=' }, {}],
};

const post = (url: string, headers: Headers, body: object = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe.each(Object.entries(CALLERS))(
  'two callers from one address, told apart by %s',
  (_, [one, other]) => {
    const get = async (path: string, headers: Headers) =>
      (await fetch(`${api.url}${path}`, { headers })).json();

    test('do not see the conversations and the settings of each other', async () => {
      const { events, runId } = await ask(`${api.url}/chat/stream`, { message: 'hello' }, one);
      const sessionId = events[0]?.data['session_id'] as string;
      const LISTS = [
        ['/api/service/v1/conversations?limit=200', sessionId],
        ['/api/v1/conversations', sessionId],
        ['/api/oracle/history', sessionId],
        ['/api/oracle/context/trees', sessionId],
        ['/api/service/v1/executions?kind=chat&limit=200', runId],
      ] as const;
      for (const [path, id] of LISTS) {
        const shown = [await get(path, one), await get(path, other)].map((list) =>
          JSON.stringify(list).includes(id),
        );
        expect([path, shown]).toEqual([path, [true, false]]);
      }
      const statusOf = async (headers: Headers) =>
        (await fetch(`${api.url}/api/v1/conversations/${sessionId}`, { headers })).status;
      expect([await statusOf(one), await statusOf(other)]).toEqual([200, 404]);
      const settings = '/api/settings/agent-config';
      await fetch(`${api.url}${settings}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json', ...one },
        body: '{"max_iterations": 3}',
      });
      expect([await get(settings, one), await get(settings, other)]).toMatchObject([
        { max_iterations: 3 },
        { max_iterations: 15 },
      ]);
      // Deleting one's own deletes nothing of the other.
      await fetch(`${api.url}/api/oracle/history`, { method: 'DELETE', headers: other });
      expect(await statusOf(one)).toBe(200);
    });

    test('do not cancel the answers of each other', async () => {
      const stuck = held(healthy);
      const target = await httpTarget(scene.targets, stuck);
      const project_id = await api.store(topologyOf({ slow: target }));
      const asked = ask(
        `${api.url}/api/oracle/stream`,
        { question: 'Is slow ok?', project_id },
        one,
      );
      await until('a probe in flight', () => target.hits > 0);
      const cancel = async (headers: Headers) =>
        (await post(`${api.url}/api/oracle/cancel`, headers)).json();
      expect(await cancel(other)).toEqual({ status: 'no_active_session' });
      // A question cancels the one before it only if it is the same caller's.
      const meanwhile = await ask(`${api.url}/api/oracle/stream`, { question: 'hello' }, other);
      expect(meanwhile.events.at(-1)?.data).toMatchObject({ type: 'done' });
      stuck.release();
      expect((await asked).events.at(-1)?.data).toMatchObject({ type: 'done' });
    });

    test('have a quota of their own', async () => {
      const say = async (headers: Headers) =>
        (await ask(`${small.url}/chat/stream`, { message: 'hello' }, headers)).events.at(-1);
      expect(await say(one)).toMatchObject({ event: 'message_end' });
      expect(await say(one)).toMatchObject({
        event: 'error',
        data: { type: 'rate_limit_exceeded' },
      });
      expect(await say(other)).toMatchObject({ event: 'message_end' });
    });
  },
);

test.each([
  ['Authorization', { authorization: 'Bearer same' }, as('first'), as('second')],
  ['X-API-Key', { 'x-api-key': 'same' }, as('first'), as('second')],
  [
    'Authorization',
    { authorization: 'Bearer one key' },
    { 'x-api-key': 'a' },
    { 'x-api-key': 'b' },
  ],
])(
  'one caller with the same %s sees its conversations whatever else it sends',
  async (_, credential, before, after) => {
    const { events } = await ask(
      `${api.url}/chat/stream`,
      { message: 'hello' },
      {
        ...credential,
        ...before,
      },
    );
    const sessionId = events[0]?.data['session_id'] as string;
    const headers = { ...credential, ...after } as Headers;
    const response = await fetch(`${api.url}/api/v1/conversations/${sessionId}`, { headers });
    expect(response.status).toBe(200);
  },
);
