import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectValid } from '../../support/streams/event-stream.js';
import { redisProxy, type RedisProxy } from '../../support/processes/redis-proxy.js';
import { Loopback } from '../../support/loopback.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
let proxy: RedisProxy;
const way = new Loopback();
beforeAll(async () => {
  scene = new Scene();
  proxy = await redisProxy(way, scene.redis.url);
  api = await scene.service({ REDIS_URL: proxy.url, HEARTBEAT_SECONDS: '1' });
});
afterAll(async () => {
  proxy.mend();
  await scene.close();
  await way.close();
});

const health = async (path: string) => (await fetch(`${api.url}/health${path}`)).status;

test('is alive and not ready while Redis is unavailable, and continues its runs later', async () => {
  const gate = held(healthy);
  const target = await httpTarget(scene.targets, gate);
  const id = await api.store(topologyOf({ api: target }));
  const run = await api.trigger(id);
  await until('a probe in flight', () => target.hits > 0);
  expect([await health('/ready'), await health('/live')]).toEqual([200, 200]);

  proxy.cut();
  await until('not ready', async () => (await health('/ready')) === 503);
  expect([await health(''), await health('/live')]).toEqual([503, 200]);
  const answers = await Promise.all([
    api.ask('POST', '/executions/trigger', { body: { topologyId: id, userMessage: 'x' } }),
    api.ask('GET', `/executions/${run.runId}`),
    api.ask('GET', '/executions'),
    api.cancel(run.runId),
  ]);
  for (const { status, code, headers, text } of answers) {
    expect([status, code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(text).not.toMatch(/ECONN|127\.0\.0\.1|redis/i);
  }
  // Its results come while there is nowhere to put them.
  gate.release();
  proxy.mend();
  await until('ready', async () => (await health('/ready')) === 200);
  expect(expectValid((await run.end()).text).at(-1)?.key).toBe('lifecycle.completed');
  expect(expectValid((await (await api.trigger(id)).end()).text).at(-1)?.key).toBe(
    'lifecycle.completed',
  );
});

test('ends in time while Redis is away, with reports and schedules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'consilium-away-'));
  const outage = await redisProxy(way, scene.redis.url);
  let sent = 0;
  const silent = createServer(() => void sent++);
  const url = `http://127.0.0.1:${await scene.targets.open(silent)}/`;
  const files = {
    REPORTS_FILE: join(folder, 'reports'),
    SCHEDULES_FILE: join(folder, 'schedules'),
  };
  const destinations = [{ id: 'chat', kind: 'chat', url }];
  await writeFile(files.REPORTS_FILE, JSON.stringify({ destinations }));
  const schedules = [{ id: 'nightly', cron: '0 3 * * *', topology: 1 }];
  await writeFile(files.SCHEDULES_FILE, JSON.stringify({ schedules }));
  try {
    const own = await scene.service({
      REDIS_URL: outage.url,
      SHUTDOWN_GRACE_SECONDS: '0',
      SWEEP_SECONDS: '1',
      ...files,
    });
    const target = await httpTarget(scene.targets, erroring);
    await own.accept(await own.store(topologyOf({ shop: target })));
    await until('a report that is being sent', () => sent > 0);
    outage.cut();
    // Workers of BullMQ look for stalled jobs each second: these commands wait for Redis.
    await sleep(2_500);
    const ended = await Promise.race([scene.stop(own).then(() => true), sleep(30_000, false)]);
    expect(ended).toBe(true);
  } finally {
    outage.mend();
    await rm(folder, { recursive: true });
  }
});
