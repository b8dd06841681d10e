import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget } from '../../support/processes/target.js';
import { teamOfEach } from '../../support/incidents/topology.js';
import type { Api } from '../../support/api.js';

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

test('completes 100 concurrent runs with valid, separate logs', async () => {
  const nodes = {
    web: { ...(await httpTarget(scene.targets, erroring)), dependsOn: ['db'] },
    db: await httpTarget(scene.targets, healthy),
  };
  const id = await api.store(teamOfEach(nodes));
  const runs = await Promise.all(
    Array.from({ length: 100 }, (_, i) => api.trigger(id, { userMessage: `number ${i}` })),
  );
  expect(new Set(runs.map(({ runId }) => runId)).size).toBe(100);
  for (const [i, run] of runs.entries()) {
    const events = expectValid((await run.end()).text);
    expect(events[0]).toMatchObject({ run_id: run.runId, data: { user_message: `number ${i}` } });
    expect(events.at(-1)).toMatchObject({
      key: 'lifecycle.completed',
      data: {
        partial: false,
        report: { verdict: 'root_cause_found', root_causes: [{ node: 'web' }] },
      },
    });
  }
  const { data } = await api.ask<{ items: { status: string }[] }>(
    'GET',
    `/executions?topologyId=${id}&limit=200`,
  );
  expect(data.items.map(({ status }) => status)).toEqual(Array(100).fill('completed'));
});
