import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { topologyOf } from '../../support/incidents/topology.js';
import { healthy, held, httpTarget } from '../../support/processes/target.js';
import { until } from '../../support/until.js';
import { ConsoleScene, isLive } from './console-scene.js';

/** A lost job is found within 2 s. */
const QUICK = { LOCK_MS: '1000', STALL_MS: '250', SWEEP_SECONDS: '1', HEARTBEAT_SECONDS: '1' };

const behaviour = held(healthy);
let scene: ConsoleScene;
beforeAll(async () => {
  scene = await ConsoleScene.open({ ...QUICK, ROLE: 'api' });
});
afterAll(async () => {
  behaviour.release();
  await scene?.close();
});

test('9: a page shows that another process goes on with a run whose worker is killed, to its end', async () => {
  const start = () => scene.scene.process({ ...QUICK, ROLE: 'worker' });
  const worker = await start();
  const web = await httpTarget(scene.scene.targets, behaviour);
  const runId = await scene.api.accept(await scene.api.store(topologyOf({ web })));
  const { page, problems } = await scene.page(`/runs/${runId}`);
  await page.locator('.bar.b-tool.s-open').waitFor();
  await until('the probe is under way', () => web.hits > 0);

  await worker.stop('SIGKILL');
  const heir = await start();
  await page.locator('.resumed').first().waitFor({ state: 'attached' });
  await isLive(page);
  await page.locator('.sys-resumed').first().waitFor();
  behaviour.release();
  await page.getByText('The end').waitFor();
  await page.locator('.gnode.h-ok').waitFor();

  // What the page has is the log, each event once.
  await page.getByRole('tab', { name: /^Log/ }).click();
  await page.getByRole('button', { name: 'Every event' }).click();
  const events = (await scene.api.log(runId)).match(/^id: /gm) ?? [];
  expect(events.length).toBeGreaterThan(10);
  await page.getByLabel(`Log, ${events.length} lines`).waitFor();
  expect(problems).toEqual([]);
  await page.context().close();
  await heir.stop('SIGTERM');
});
