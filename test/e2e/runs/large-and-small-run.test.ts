import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { Scene } from '../../support/scene.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

const NODES = 80;
const AT_ONCE = 2;

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service({ WORKER_CONCURRENCY: String(AT_ONCE) });
});
afterAll(() => scene.close());

it('diagnoses a small system while a large one waits for its workers', async () => {
  const behaviour = held(healthy);
  const slow = await httpTarget(scene.targets, behaviour);
  const large = topologyOf(
    Object.fromEntries(
      Array.from({ length: NODES }, (_, i) => [
        `n${i}`,
        { endpoint: slow.endpoint.replace('health', `${i}`) },
      ]),
    ),
  );
  const small = topologyOf({ shop: await httpTarget(scene.targets, healthy) });
  const first = await api.trigger(await api.store(large));
  const sent = () => first.log.split('event: dispatch.worker\n').length - 1;
  await until('all of its workers wait', () => sent() === NODES);
  await until('all places are taken', () => slow.hits >= AT_ONCE);
  const second = await api.trigger(await api.store(small));
  await second.has('event: dispatch.worker');
  const before = slow.hits;
  behaviour.release();
  await second.end();
  const meanwhile = slow.hits - before;
  await first.end();
  expect(meanwhile).toBeLessThan((slow.hits - before) / 2);
});
