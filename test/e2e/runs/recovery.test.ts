import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Queue } from 'bullmq';
import { indexKeys } from '../../../src/event-log/keys.js';
import { QUEUE_NAMES } from '../../../src/queues/job-ids.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent } from '../../support/processes/target.js';
import { teamOfEach, topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const QUICK = { LOCK_MS: '1000', STALL_MS: '300', SWEEP_SECONDS: '1' };

let scene: Scene;
beforeEach(() => void (scene = new Scene()));
afterEach(() => scene.close());

test('an accepted run whose job was never added is started by the sweeper', async () => {
  const api = await scene.service({ ROLE: 'api', ...QUICK });
  const id = await api.store(topologyOf({ api: await httpTarget(scene.targets, healthy) }));
  const run = await api.trigger(id);
  await run.has('event: system.topology');
  // As if the process had died between the append and the job.
  const queue = new Queue(QUEUE_NAMES.global_supervisor, {
    connection: { url: scene.redis.url },
    prefix: `{${scene.redis.prefix}}`,
  });
  try {
    await until('the job is gone', async () => (await queue.remove(run.runId)) === 1);
  } finally {
    await queue.close();
  }
  await scene.service({ ROLE: 'worker', ...QUICK });
  expect(expectValid((await run.end()).text).at(-1)?.key).toBe('lifecycle.completed');
});

test('removes a run that has ended from the open runs', async () => {
  const api = await scene.service(QUICK);
  const target = await httpTarget(scene.targets, healthy);
  await (await api.trigger(await api.store(topologyOf({ api: target })))).end();
  const { redis, prefix } = scene.redis;
  await until('no open run', async () => (await redis.zcard(indexKeys(prefix).open)) === 0);
});

test('continues a run in another process after SIGKILL, with a valid log', async () => {
  const api = await scene.service({ ROLE: 'api', ...QUICK });
  const target = await httpTarget(scene.targets, silent);
  const other = await httpTarget(scene.targets, healthy);
  const run = await api.trigger(await api.store(teamOfEach({ stuck: target, fine: other })));
  const first = await scene.process({ ROLE: 'worker', ...QUICK });
  await until('a probe in flight', () => target.hits > 0);
  await run.has(
    '"agent_name":"The fine worker","team_name":"fine team"},"event":{"category":"dispatch","action":"report"}',
  );
  const before = run.log;
  await first.stop('SIGKILL');
  target.behaviour = healthy;
  await scene.service({ ROLE: 'worker', ...QUICK });

  const events = expectValid((await run.end()).text);
  expect(run.log.startsWith(before)).toBe(true);
  expect(events.at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: false, report: { verdict: 'healthy' } },
  });
  // What was in the log is not done again.
  const started = events.filter(({ key }) => key === 'dispatch.worker');
  expect(started.map(({ data }) => data['worker_name']).toSorted()).toEqual([
    'The fine worker',
    'The stuck worker',
  ]);
});

test('a worker process that is asked to end hands its work over', async () => {
  const api = await scene.service({ ROLE: 'api', ...QUICK });
  const target = await httpTarget(scene.targets, silent);
  const run = await api.trigger(await api.store(topologyOf({ stuck: target })));
  const first = await scene.process({ ROLE: 'worker', ...QUICK });
  await until('a probe in flight', () => target.hits > 0);
  await first.stop('SIGTERM');
  await until('the probe is given up', () => target.connections === 0);
  target.behaviour = healthy;
  await scene.service({ ROLE: 'worker', ...QUICK });
  expect(expectValid((await run.end()).text).at(-1)).toMatchObject({
    key: 'lifecycle.completed',
    data: { partial: false },
  });
});
