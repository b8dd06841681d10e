import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { as, ask } from '../../support/chat.js';
import { ConversationStore, RedisLog } from '../../support/parts.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

interface Tree {
  head: string;
  nodes: { id: string; question: string; status: string }[];
}

let scene: Scene;
let api: Api;
let limited: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ SWEEP_SECONDS: '3600' });
  limited = await scene.service({ SWEEP_SECONDS: '3600', MONTHLY_MESSAGES: '1' });
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => scene.close());

const say = (who: string, session_id: string, message: string, at: Api = api) =>
  ask(`${at.url}/chat/stream`, { message, session_id }, as(who));
const tree = async (who: string, id: string) =>
  (await api.ask<Tree | null>('GET', `/conversations/${id}/tree`, { headers: as(who) })).data;
const statuses = async (who: string, id: string) =>
  (await tree(who, id))?.nodes.map(({ question, status }) => [question, status]);

/**
 * A message with a log that its conversation does not have: the process that accepted it ended
 * before it was added.
 */
async function cutOff(who: string, id: string, message: string, at?: Api): Promise<void> {
  const add = jest
    .spyOn(ConversationStore.prototype, 'add')
    .mockRejectedValueOnce(new Error('Connection is closed.'));
  expect((await say(who, id, message, at)).status).toBeGreaterThanOrEqual(500);
  expect(add).toHaveBeenCalledTimes(1);
  add.mockRestore();
}

test('a turn that is missing in its conversation is added when it is started again, unless another came in between', async () => {
  await cutOff('alone', 'cut-1', 'hello', limited);
  expect(await tree('alone', 'cut-1')).toBeNull();
  await cutOff('twice', 'cut-2', 'hello');
  expect((await say('twice', 'cut-2', 'hello again')).events.at(-1)?.event).toBe('message_end');

  const sweeping = await scene.service({ SWEEP_SECONDS: '1' });
  await until(
    'both are in their trees',
    async () =>
      (await tree('alone', 'cut-1')) !== null && (await tree('twice', 'cut-2'))?.nodes.length === 2,
  );
  await until(
    'the first is answered',
    async () => (await tree('alone', 'cut-1'))?.nodes[0]?.status === 'completed',
  );
  await scene.stop(sweeping);
  expect(await statuses('alone', 'cut-1')).toEqual([['hello', 'completed']]);
  expect(await statuses('twice', 'cut-2')).toEqual([
    ['hello', 'cancelled'],
    ['hello again', 'completed'],
  ]);
  const { head, nodes } = (await tree('twice', 'cut-2')) as Tree;
  expect(head).toBe(nodes[1]?.id);
  // It was answered, and counts.
  expect((await say('alone', 'cut-3', 'hello', limited)).events).toMatchObject([
    { data: { type: 'rate_limit_exceeded' } },
  ]);
});

test("an older turn of the oracle panel that is sent again with its key leaves the caller's newer one alone", async () => {
  const waiting = held(healthy);
  const target = await httpTarget(scene.targets, waiting);
  const project_id = await api.store(topologyOf({ slow: target }));
  const put = (key: string) =>
    ask(
      `${api.url}/api/oracle/stream`,
      { question: 'Is slow ok?', project_id },
      { ...as('panel'), 'idempotency-key': key },
    );
  const older = put('older');
  await until('a probe in flight', () => target.hits >= 1);
  const newer = put('newer');
  await until('the probe of the newer one', () => target.hits >= 2);
  const again = await put('older');
  expect([again.runId, again.text]).toEqual([(await older).runId, (await older).text]);
  waiting.release();
  expect(again.text).toContain('Cancelled by user');
  expect((await newer).text).toContain('Measured just now');
});

test('a turn reads only exchanges without a stored answer', async () => {
  const said: string[] = [];
  for (let i = 0; i < 4; i++) said.push((await say('long', 'long-1', 'hello')).runId);
  const state = jest.spyOn(RedisLog.prototype, 'state');
  said.push((await say('long', 'long-1', 'hello')).runId);
  const asked = new Set(state.mock.calls.map(([runId]) => runId));
  expect(said.map((runId) => asked.has(runId))).toEqual([false, false, false, true, true]);
});

test('a conversation has room for 500 messages', async () => {
  await say('full', 'full-1', 'hello');
  const exchange = JSON.stringify({ parent: null, runId: 'none', question: 'hello', at: 1 });
  const more = Array.from({ length: 499 }, (_, i) => [
    `x:full-1~${i}`,
    exchange,
    `a:full-1~${i}`,
    '{}',
  ]);
  await scene.redis.redis.hset(`${scene.redis.prefix}:{conversation:full-1}`, ...more.flat());
  const { status, text } = await say('full', 'full-1', 'hello');
  expect([status, JSON.parse(text)]).toMatchObject([
    400,
    { code: 'VALIDATION_FAILED', message: expect.stringContaining('start another one') },
  ]);
});
