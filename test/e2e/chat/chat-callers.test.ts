import { afterAll, beforeAll, describe, expect, test, jest } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { MessageQuota } from '../../../src/conversations/message-quota.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { RedisLog } from '../../../src/event-log/redis-log.js';
import type { Api } from '../../support/api.js';
import { as, ask } from '../../support/chat.js';
import { completed, spec, started } from '../../support/incidents/drafts.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget, silent } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const clock = { now: () => Date.now() };
let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

const [mine, other] = [as('mine'), as('other')];

describe("another caller's chat is as if it were not", () => {
  let runId: string;
  let sessionId: string;
  beforeAll(async () => {
    const { runId: id, events } = await ask(`${api.url}/chat/stream`, { message: 'hello' }, mine);
    [runId, sessionId] = [id, events[0]?.data['session_id'] as string];
  });

  test.each([
    ['the run', 'GET', '/executions/RUN', undefined],
    ['its events', 'GET', '/executions/RUN/events', { accept: 'text/event-stream' }],
    ['a page of them', 'GET', '/executions/RUN/events', undefined],
    ['what is after its end', 'GET', '/executions/RUN/events?after=9999', undefined],
    ['the conversation', 'GET', '/conversations/SESSION', undefined],
    ['its tree', 'GET', '/conversations/SESSION/tree', undefined],
    ['to fork it', 'POST', '/conversations/SESSION/fork', undefined],
    ['to cancel it', 'POST', '/executions/cancel', undefined],
  ])('%s', async (_, method, path, more) => {
    const at = path.replace('RUN', runId).replace('SESSION', sessionId);
    const body =
      method === 'GET'
        ? {}
        : {
            body: path.endsWith('fork')
              ? { nodeId: `${sessionId}~${runId.slice(-12)}` }
              : { runId },
          };
    const asked = async (who: Record<string, string>, where: string) => {
      const { status, text } = await api.ask(method, where, {
        ...body,
        headers: { ...more, ...who },
      });
      return { status, text };
    };
    const refused = await asked(other, at);
    // A client that has seen events of a run gets RUN_EXPIRED.
    expect(refused.status).toBe(path.includes('after=') ? 410 : 404);
    // Exactly the response for a run or a conversation that never existed.
    const unknownRun = uuid();
    const never = 'sess_never';
    const text = JSON.stringify(body).replaceAll(runId, unknownRun);
    const unknown = await api.ask(
      method,
      path.replace('RUN', unknownRun).replace('SESSION', never),
      {
        ...(JSON.parse(text) as object),
        headers: { ...more, ...other },
      },
    );
    expect([unknown.status, unknown.text.replaceAll(unknownRun, runId)]).toEqual([
      refused.status,
      refused.text,
    ]);
    expect((await asked(mine, at)).status).not.toBe(404);
  });

  test('to say something in it, at any endpoint', async () => {
    const messages = [
      { id: '1', role: 'user', content: 'hello', parts: [{ type: 'text', text: 'hello' }] },
    ];
    const said = async (path: string, body: object) =>
      (await ask(`${api.url}${path}`, body, other)).status;
    expect([
      await said('/chat/stream?format=executor', { message: 'hello', session_id: sessionId }),
      await said('/api/oracle/stream', { question: 'hello', context_id: sessionId }),
      await said('/api/oracle/stream', {
        question: 'hello',
        context_id: `${sessionId}~${runId.slice(-12)}`,
      }),
      await said(`/api/v1/conversations/${sessionId}/stream`, { content: 'hello' }),
      await said('/api/service/v1/ag-ui', { threadId: sessionId, messages }),
      await said('/api/chat', { id: sessionId, messages }),
    ]).toEqual([404, 404, 404, 404, 404, 404]);
    const { events } = await ask(
      `${api.url}/chat/stream`,
      { message: 'hello', session_id: sessionId },
      other,
    );
    expect(events).toMatchObject([{ event: 'error', data: { type: 'not_found' } }]);
    expect(
      (await fetch(`${api.url}/api/v1/conversations/${sessionId}`, { headers: other })).status,
    ).toBe(404);
    expect(
      (await fetch(`${api.url}/api/chat/${sessionId}/stream`, { headers: other })).status,
    ).toBe(204);
    const { data } = await api.ask<{ messages: unknown[] }>('GET', `/conversations/${sessionId}`, {
      headers: mine,
    });
    expect(data.messages).toHaveLength(2);
  });

  test('in lists', async () => {
    const listed = async (path: string, headers: Record<string, string>) =>
      (await api.ask('GET', path, { headers })).text;
    for (const [path, id] of [
      ['/executions?kind=chat&limit=200', runId],
      ['/conversations?limit=200', sessionId],
    ] as const)
      expect(
        [await listed(path, mine), await listed(path, other)].map((text) => text.includes(id)),
      ).toEqual([true, false]);
  });

  test('a running turn continues', async () => {
    const stuck = held(healthy);
    const target = await httpTarget(scene.targets, stuck);
    const topology_id = await api.store(topologyOf({ slow: target }));
    const turn = ask(`${api.url}/chat/stream`, { message: 'Is slow ok?', topology_id }, mine);
    await until('a probe in flight', () => target.hits > 0);
    const { data } = await api.ask<{ items: { runId: string }[] }>(
      'GET',
      '/executions?status=running',
      { headers: mine },
    );
    const [running] = data.items;
    expect(
      (
        await api.ask('POST', '/executions/cancel', {
          body: { runId: running?.runId },
          headers: other,
        })
      ).status,
    ).toBe(404);
    stuck.release();
    expect((await turn).events.at(-1)?.event).toBe('message_end');
  });
});

describe('the monthly quota of a caller', () => {
  let small: Api;
  beforeAll(async () => {
    small = await scene.service({ MONTHLY_MESSAGES: '1' });
  });
  const refusal = {
    event: 'error',
    data: {
      type: 'rate_limit_exceeded',
      message: 'Monthly message limit (1) reached. Upgrade for more.',
      usage: 1,
      limit: 1,
    },
  };
  const say = (who: string, body: object, path = '/chat/stream') =>
    ask(`${small.url}${path}`, body, as(who));

  test('is counted on success only, and then it is enough', async () => {
    expect((await say('month', { message: 'hello', topology_id: 987_654 })).events).toMatchObject([
      { data: { type: 'not_found' } },
    ]);
    const target = await httpTarget(scene.targets, silent);
    const project_id = await small.store({ ...topologyOf({ slow: target }), id: 78 });
    const cancelled = say('month', { question: 'Is slow ok?', project_id }, '/api/oracle/stream');
    await until('a probe in flight', () => target.hits > 0);
    await fetch(`${small.url}/api/oracle/cancel`, { method: 'POST', headers: as('month') });
    expect((await cancelled).events.at(-1)?.data).toMatchObject({ type: 'error' });
    expect((await say('month', { message: 'hello' })).events.at(-1)?.event).toBe('message_end');
    expect((await say('month', { message: 'hello' })).events).toEqual([refusal]);
    const { status, headers, text } = await say(
      'month',
      { question: 'hello' },
      '/api/oracle/stream',
    );
    expect([status, Number(headers.get('retry-after')) > 0, JSON.parse(text)]).toMatchObject([
      429,
      true,
      { code: 'RATE_LIMITED' },
    ]);
    expect((await say('somebody-else', { message: 'hello' })).events.at(-1)?.event).toBe(
      'message_end',
    );
  });

  test('one of several concurrent messages gets the last place', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => say('crowd', { message: 'hello' })),
    );
    const ends = all.map(({ events }) => events.at(-1)?.event).sort();
    expect(ends).toEqual([...Array.from({ length: 7 }, () => 'error'), 'message_end']);
    expect(all.filter(({ events }) => events.length === 1).map(({ events }) => events[0])).toEqual(
      Array.from({ length: 7 }, () => refusal),
    );
  });

  test('with the same key a message is one', async () => {
    const send = () =>
      ask(
        `${small.url}/chat/stream`,
        { message: 'hello' },
        { ...as('keyed'), 'idempotency-key': 'k' },
      );
    const first = await send();
    const again = await send();
    expect([again.text, again.events.at(-1)?.event]).toEqual([first.text, 'message_end']);
  });

  test('expires, even if its process ended after it had counted', async () => {
    const config = loadConfig({
      REDIS_URL: scene.redis.url,
      REDIS_PREFIX: `${scene.redis.prefix}.counted`,
      MONTHLY_MESSAGES: '1',
    });
    const log = new RedisLog(scene.redis.redis, config);
    const quota = new MessageQuota(scene.redis.redis, config, log, clock);
    const runId = uuid();
    expect(await quota.take('somebody', runId)).toBeUndefined();
    await log.create(runId, spec, [started]);
    await log.seal(runId, () => completed);
    const cut = jest
      .spyOn(scene.redis.redis, 'eval')
      .mockRejectedValueOnce(new Error('Connection is closed.'));
    await expect(quota.take('somebody', uuid())).rejects.toThrow('Connection is closed.');
    cut.mockRestore();
    const [counted = '', ...others] = await scene.redis.redis.keys(
      `${config.redisPrefix}:{caller:somebody}:messages:*`,
    );
    expect([others, await scene.redis.redis.smembers(counted)]).toEqual([[], [runId]]);
    expect(await scene.redis.redis.ttl(counted)).toBeGreaterThan(0);
  });

  test('begins again with the month of UTC', async () => {
    const config = loadConfig({
      REDIS_URL: scene.redis.url,
      REDIS_PREFIX: `${scene.redis.prefix}.months`,
      MONTHLY_MESSAGES: '1',
    });
    const quota = new MessageQuota(
      scene.redis.redis,
      config,
      new RedisLog(scene.redis.redis, config),
      clock,
    );
    const at = (time: string) => quota.take('somebody', uuid({ msecs: Date.parse(time) }));
    // A place is free again a minute later where its message was never accepted.
    const soon = new Date(Date.now() + 20 * 365 * 86_400_000).getUTCFullYear();
    expect(await at(`${soon}-01-31T23:59:59.998Z`)).toBeUndefined();
    expect(await at(`${soon}-01-31T23:59:59.999Z`)).toEqual({ usage: 1, limit: 1 });
    expect(await at(`${soon}-02-01T00:00:00.000Z`)).toBeUndefined();
    expect(await at(`${soon}-02-28T23:59:59.999Z`)).toEqual({ usage: 1, limit: 1 });
  });
});
