import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeApiKey } from '../../src/http/access/api-key.js';
import { expectValid } from '../support/streams/event-stream.js';
import { modelScene } from '../support/models/model-scene.js';
import { refuse } from '../support/models/provider-server.js';
import { runbookReply } from '../support/models/runbook-provider.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';

let scene: Scene;
beforeAll(() => void (scene = new Scene()));
afterAll(() => scene.close());

/**
 * Options of Node under which the clock of a process is wrong by so many ms, from some time after
 * its start.
 */
const skewed = (ms: number, afterMs = 0): string => {
  const code = `const now=Date.now,from=now()+${afterMs};Date.now=()=>now()+(now()<from?0:${ms})`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
};

test.each([
  ['an hour ahead', skewed(3_600_000), 0],
  ['an hour behind', skewed(-3_600_000), 0],
  ['that jumps an hour ahead while it works', skewed(3_600_000, 6_000), 8_000],
])('completes runs with a clock %s', async (_, NODE_OPTIONS, ms) => {
  const shop = await httpTarget(scene.targets, healthy);
  const node = await scene.process({ NODE_OPTIONS, SWEEP_SECONDS: '1' });
  const id = await node.api.store(topologyOf({ shop }));
  const until = performance.now() + ms;
  do {
    const last = expectValid((await (await node.api.trigger(id)).end()).text).at(-1);
    expect(last).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
  } while (performance.now() < until);
  await node.stop('SIGTERM');
});

test.each([
  ['ahead', skewed(3_600_000), skewed(-180_000)],
  ['behind', skewed(-3_600_000), skewed(180_000)],
])(
  'an API process with a clock an hour %s and a worker with another complete runs and chats',
  async (_, ofApi, ofWorker) => {
    const shop = await httpTarget(scene.targets, healthy);
    const sweep = { SWEEP_SECONDS: '1' };
    const { api, ...apiProcess } = await scene.process({
      ROLE: 'api',
      NODE_OPTIONS: ofApi,
      ...sweep,
    });
    const worker = await scene.process({ ROLE: 'worker', NODE_OPTIONS: ofWorker, ...sweep });
    const id = await api.store(topologyOf({ shop }));
    const events = expectValid((await (await api.trigger(id)).end()).text);
    expect(events.at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: { partial: false },
    });
    // The times of events are those of Redis, whichever process has written them.
    const off = events.map(({ timestamp }) => Math.abs(Date.parse(timestamp) - Date.now()));
    expect(Math.max(...off)).toBeLessThan(150_000);
    const answer = await fetch(`${api.url}/chat/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'What was the last verdict?' }),
    });
    expect(await answer.text()).toMatch(/^event: message_end$/m);
    await apiProcess.stop('SIGTERM');
    await worker.stop('SIGTERM');
  },
);

test('a key that one process makes for a day is good in another whose clock is two days ahead', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'consilium-clocks-'));
  const AUTH_BOOTSTRAP_KEY_FILE = join(folder, 'key');
  const { key: admin } = makeApiKey();
  await writeFile(AUTH_BOOTSTRAP_KEY_FILE, admin);
  const auth = { AUTH: 'keys', AUTH_BOOTSTRAP_KEY_FILE };
  const { api } = await scene.process(auth);
  const { api: ahead } = await scene.process({ ...auth, NODE_OPTIONS: skewed(2 * 86_400_000) });
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const made = await api.ask<{ key: string }>('POST', '/keys', {
    body: { name: 'deploy', role: 'viewer', days: 1 },
    headers: bearer(admin),
  });
  expect(made.status).toBe(201);
  expect((await ahead.ask('GET', '/topologies', { headers: bearer(made.data.key) })).status).toBe(
    200,
  );
  await rm(folder, { recursive: true });
});

const models = modelScene(runbookReply);

test('an agent continues whose wait was timed by a process with a clock an hour ahead that then died', async () => {
  const { redis, prefix } = models.scene.redis;
  models.server.script(refuse(429, { headers: { 'retry-after': '8' } }));
  const env = { ...models.models({ m: {} }), SWEEP_SECONDS: '1' };
  const ahead = await models.scene.process({ ...env, NODE_OPTIONS: skewed(3_600_000) });
  const id = await ahead.api.store(await models.shop());
  const runId = await ahead.api.accept(id, { limits: { timeoutSeconds: 60 } });
  const delayed = `{${prefix}}:global-supervisor:delayed`;
  const score = await until('the job is delayed', async () => redis.zscore(delayed, runId));
  // BullMQ keeps 12 bits of a number beside the time.
  expect(Number(score) / 4_096 - Date.now()).toBeGreaterThan(3_500_000);
  await ahead.stop('SIGKILL');

  const { api } = await models.scene.process(env);
  const events = expectValid(await api.log(runId));
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
});

test('a report is sent again whose wait was timed by a process with a clock an hour ahead that then died', async () => {
  // Without the runs of the other tests, whose reports are due, too.
  const own = new Scene();
  const folder = await mkdtemp(join(tmpdir(), 'consilium-clocks-'));
  const asked: number[] = [];
  const chat = createServer((request, response) => {
    request.resume();
    asked.push(performance.now());
    response.writeHead(asked.length === 1 ? 503 : 200).end();
  });
  const url = `http://127.0.0.1:${await own.targets.open(chat)}/chat`;
  const REPORTS_FILE = join(folder, 'reports.yaml');
  const destinations = [{ id: 'chat', kind: 'chat', url, on: ['healthy'] }];
  await writeFile(REPORTS_FILE, JSON.stringify({ retrySeconds: [5, 5, 5, 5], destinations }));
  const ahead = await own.process({ REPORTS_FILE, NODE_OPTIONS: skewed(3_600_000) });
  const shop = await httpTarget(own.targets, healthy);
  await (await ahead.api.trigger(await ahead.api.store(topologyOf({ shop })))).end();
  const { redis, prefix } = own.redis;
  await until(
    'the report waits',
    async () => (await redis.zcard(`{${prefix}}:reports:delayed`)) > 0,
  );
  await ahead.stop('SIGKILL');
  await own.process({ REPORTS_FILE });
  await until('it is sent again', () => asked.length > 1);
  const [first = 0, second = 0] = asked;
  // Not at once. Half of the pause, since each process knows the time of Redis only as well as its
  // replies are fast.
  expect(second - first).toBeGreaterThan(2_500);
  await own.close();
  await rm(folder, { recursive: true });
});
