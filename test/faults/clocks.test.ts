import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectValid } from '../support/event-stream.js';
import { modelScene } from '../support/model-scene.js';
import { refuse } from '../support/provider-server.js';
import { runbookReply } from '../support/runbook-provider.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';
import { until } from '../support/until.js';

let scene: Scene;
beforeAll(() => void (scene = new Scene()));
afterAll(() => scene.close());

/** Options of Node under which the clock of a process is wrong by so many ms, from some time after its start. */
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
