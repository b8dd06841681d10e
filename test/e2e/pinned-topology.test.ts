import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Api } from '../support/api.js';
import { expectValid } from '../support/event-stream.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget, silent, type Target } from '../support/target.js';
import { topologyOf } from '../support/topology.js';

const LARGE = { note: 'x'.repeat(2_000) };

let scene: Scene;
let api: Api;
let topologyId: number;
const targets: Target[] = [];
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ ROLE: 'api' });
  await scene.service({ ROLE: 'worker' });
  for (let i = 0; i < 20; i++) targets.push(await httpTarget(scene.targets, healthy));
  const nodes = targets.map(
    ({ endpoint }, i) => [`n${i}`, { endpoint, attributes: LARGE }] as const,
  );
  topologyId = await api.store(topologyOf(Object.fromEntries(nodes)));
});
afterAll(() => scene.close());

const pins = () => scene.redis.redis.keys(`${scene.redis.prefix}:{pins}:topology:*`);

it('diagnoses a large topology that is stored once for several runs', async () => {
  const runs = await Promise.all([api.trigger(topologyId), api.trigger(topologyId)]);
  for (const run of runs) {
    const events = expectValid((await run.end()).text);
    expect(events.at(-1)?.data).toMatchObject({ report: { verdict: 'healthy', unchecked: [] } });
  }
  expect(await pins()).toHaveLength(1);
});

it('ends a run of a large topology from outside with what was measured', async () => {
  for (const target of targets.slice(1)) target.behaviour = silent;
  const run = await api.trigger(topologyId);
  await run.has('event: llm.tool_result');
  await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)?.data).toMatchObject({ report: { verdict: 'inconclusive' } });
  expect(await pins()).toHaveLength(1);
});
