import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectValid } from '../support/event-stream.js';
import { Scene } from '../support/scene.js';
import { healthy, httpTarget } from '../support/target.js';
import { topologyOf } from '../support/topology.js';

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
