import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { RunSpec } from '../../../src/domain/run.js';
import type { Api } from '../../support/api.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget, silent, type Target } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const LARGE = { note: 'x'.repeat(2_000) };

let scene: Scene;
let api: Api;
let topologyId: number;
const targets: Target[] = [];
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ ROLE: 'api', SWEEP_SECONDS: '1' });
  await scene.service({ ROLE: 'worker', SWEEP_SECONDS: '1' });
  for (let i = 0; i < 20; i++) targets.push(await httpTarget(scene.targets, healthy));
  const nodes = targets.map(
    ({ endpoint }, i) => [`n${i}`, { endpoint, attributes: LARGE }] as const,
  );
  topologyId = await api.store(topologyOf(Object.fromEntries(nodes)));
});
afterAll(() => scene.close());

/** The specification of a run, as any version of the service finds it. */
async function stored(runId: string): Promise<{ bytes: number; spec: RunSpec }> {
  const key = `${scene.redis.prefix}:{${runId}}:state`;
  const text = (await scene.redis.redis.hget(key, 'spec')) ?? '';
  return { bytes: text.length, spec: JSON.parse(text) as RunSpec };
}
const isShort = (runId: string) =>
  until('it keeps no topology', async () => (await stored(runId)).bytes < 8_192);

it('deletes the topologies of runs that have ended, each of other nodes, and nothing else is left of them', async () => {
  const runs = await Promise.all(
    ['n0', 'n1', 'n2'].map((node) => api.trigger(topologyId, { nodes: [node] })),
  );
  for (const run of runs) {
    const events = expectValid((await run.end()).text);
    expect(events.at(-1)).toMatchObject({ key: 'lifecycle.completed', data: { partial: false } });
    await isShort(run.runId);
  }
  const { redis, prefix } = scene.redis;
  expect(await redis.keys(`${prefix}:*topology:*`)).toEqual([
    expect.stringContaining('{index}:topology'),
  ]);
});

it('leaves the whole topology in an open run, and shows the names of nodes of one that has ended', async () => {
  for (const target of targets.slice(1)) target.behaviour = silent;
  const run = await api.trigger(topologyId);
  await run.has('event: llm.tool_result');
  const { spec } = await stored(run.runId);
  expect(spec.topology.nodes).toHaveLength(20);
  expect(spec.topology.nodes[7]).toMatchObject({ endpoint: targets[7]?.endpoint });
  await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  const events = expectValid((await run.end()).text);
  expect(events.at(-1)?.data).toMatchObject({ report: { verdict: 'inconclusive' } });
  await isShort(run.runId);
  const again = await api.ask('POST', '/executions/cancel', { body: { runId: run.runId } });
  expect(again.status).toBe(200);
  const page = await api.ask('GET', `/executions/${run.runId}/report.md`);
  expect(page.text).toContain('The n3');
});
