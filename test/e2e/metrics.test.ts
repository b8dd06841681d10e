import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../support/api.js';
import { Scene } from '../support/scene.js';
import { httpTarget, silent } from '../support/target.js';
import { topologyOf } from '../support/topology.js';

let scene: Scene;
let api: Api;
beforeAll(async () => {
  scene = new Scene();
  api = await scene.service();
});
afterAll(() => scene.close());

test('exports metrics of followers, runs and jobs', async () => {
  const topologyId = await api.store(topologyOf({ api: await httpTarget(scene.targets, silent) }));
  const followed = await api.trigger(topologyId, {});
  await api.reaches(followed.runId, 'running');

  const answer = await fetch(`${api.url}/metrics`);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
  const text = await answer.text();
  expect(text).toMatch(/^consilium_followers 1$/m);
  expect(text).toMatch(/^consilium_followed_runs 1$/m);
  expect(text).toMatch(/^consilium_open_runs 1$/m);
  expect(text).toMatch(/^consilium_jobs\{queue="worker",state="active"\} \d+$/m);
  expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  await api.cancel(followed.runId);
});
