import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { z } from 'zod';
import type { Tool } from '../../src/tools/tool.js';
import { expectValid } from '../support/streams/event-stream.js';
import { Scene } from '../support/scene.js';
import { topologyOf } from '../support/incidents/topology.js';
import { until } from '../support/until.js';

let scene: Scene;
beforeEach(() => void (scene = new Scene()));
afterEach(() => scene.close());

const args = z.object({ node: z.string() });
const look = (run: Tool['run']): Tool => ({
  name: 'look',
  description: 'Looks.',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  run,
  appliesTo: ({ kind }) => kind === 'look',
  argsFor: ({ id }) => ({ node: id }),
});

/** As if another version of the service had left what the worker has. */
async function leaveAs(version: number): Promise<void> {
  const { redis, prefix } = scene.redis;
  const [key = ''] = await redis.keys(`*${prefix}*:checkpoints`);
  const checkpoint = (await redis.hget(key, 'd1_1')) ?? '';
  expect(checkpoint).toMatch(/"version":\d/);
  await redis.hset(key, 'd1_1', checkpoint.replace(/"version":\d/, `"version":${version}`));
}

/** As if another version of the service had accepted the run. */
async function acceptAs(runId: string, version: string): Promise<void> {
  const { redis, prefix } = scene.redis;
  const [key = ''] = await redis.keys(`${prefix}*${runId}*:state`);
  expect(await redis.hexists(key, 'version')).toBe(1);
  await redis.hset(key, 'version', version);
}

/** How often the worker was taken up. */
async function epoch(): Promise<number> {
  const { redis, prefix } = scene.redis;
  const [key = ''] = await redis.keys(`*${prefix}*:writers`);
  return Number((await redis.hget(key, 'd1_1'))?.split(':')[0]);
}

test('an agent of a later version of the service is left to that version and does not fail', async () => {
  let looks = 0;
  const waiting = look(
    (_, { signal }) =>
      new Promise(
        (_resolve, reject) => (
          looks++,
          signal.addEventListener('abort', () => reject(new Error('stopped')))
        ),
      ),
  );
  const old = await scene.service({}, { tools: [waiting] });
  const run = await old.trigger(await old.store(topologyOf({ db: { kind: 'look' } })));
  await until('its call', () => looks === 1);
  await scene.stop(old);
  await leaveAs(2);
  const before = await epoch();

  const fine = look(() =>
    Promise.resolve({ status: 'ok', summary: 'well', measurements: {}, issues: [] }),
  );
  const api = await scene.service({}, { tools: [fine] });
  // More often than an agent may crash.
  await until('it was taken up and left', async () => (await epoch()) > before + 3);
  await sleep(100);
  expect(await epoch()).toBeLessThan(before + 20);
  expect(await api.show(run.runId)).toMatchObject({ status: 'running' });

  await leaveAs(1);
  const events = expectValid((await (await api.follow(run.runId)).end()).text);
  expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
});

test('a run of a later version of the service is left to that version, and others go on', async () => {
  const called: string[] = [];
  const noted = look(({ node }) => {
    called.push(String(node));
    return Promise.resolve({ status: 'ok', summary: 'well', measurements: {}, issues: [] });
  });
  const front = await scene.service({ ROLE: 'api' }, { tools: [noted] });
  const later = await front.store(topologyOf({ later: { kind: 'look' } }));
  const own = await front.store(topologyOf({ own: { kind: 'look' } }));
  const left = await front.accept(later);
  await acceptAs(left, '2');
  const other = await front.accept(own);
  await scene.service({ ROLE: 'worker', SWEEP_SECONDS: '1' }, { tools: [noted] });
  await front.reaches(other, 'completed');
  expect(called).toEqual(['own']);
  const { status, text } = await front.ask('GET', `/executions/${left}`);
  expect([status, text]).toEqual([503, expect.stringContaining('UNAVAILABLE')]);

  await acceptAs(left, '1');
  await front.reaches(left, 'completed');
  expect(called).toEqual(['own', 'later']);
});
