import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Api } from '../../support/api.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, held, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { until } from '../../support/until.js';

interface Scheduled {
  id: string;
  nextAt: string | null;
  lastRunId: string | null;
}
interface Listed {
  items: { runId: string; userMessage: string }[];
}

let scene: Scene;
let folder: string;
beforeEach(async () => {
  scene = new Scene();
  folder = await mkdtemp(join(tmpdir(), 'consilium-schedules-'));
});
afterEach(async () => {
  await scene.close();
  await rm(folder, { recursive: true });
});

async function start(...schedules: object[]): Promise<Api> {
  const path = join(folder, 'schedules.yaml');
  await writeFile(path, JSON.stringify({ schedules }));
  return scene.service({ SCHEDULES_FILE: path });
}
const listed = async (api: Api) =>
  (await api.ask<{ items: Scheduled[] }>('GET', '/schedules')).data.items;

it('diagnoses a topology by the clock, one run at a time, also of several processes', async () => {
  const target = await httpTarget(scene.targets, held(healthy));
  const topology = topologyOf({ shop: target });
  const schedule = {
    id: 'often',
    cron: '* * * * * *',
    topology: topology.id,
    message: 'By clock.',
  };
  const [api] = [await start(schedule), await start(schedule)];
  await api.store(topology);
  const runsOf = async () =>
    (await api.ask<Listed>('GET', `/executions?topologyId=${topology.id}`)).data.items;
  const [run] = await until('a run', async () => {
    const items = await runsOf();
    return items.length > 0 ? items : undefined;
  });
  expect(run?.userMessage).toBe('By clock.');
  const before = (await listed(api))[0]?.nextAt;
  await until('two more moments have passed', async () => {
    const at = (await listed(api))[0]?.nextAt;
    return Date.parse(at ?? '') > Date.parse(before ?? '') + 1_000;
  });
  expect(await listed(api)).toMatchObject([{ id: 'often', lastRunId: run?.runId }]);
  expect(await runsOf()).toHaveLength(1);
  await api.cancel(run?.runId ?? '');
  await until('the next run', async () => (await runsOf()).length > 1);
});

it('forgets a schedule that the file no longer has', async () => {
  const first = await start({ id: 'old', cron: '0 3 * * *', topology: 1 });
  expect(await listed(first)).toMatchObject([{ id: 'old', nextAt: expect.any(String) }]);
  await scene.stop(first);
  const second = await start({ id: 'new', cron: '0 4 * * *', timezone: 'Asia/Tokyo', topology: 1 });
  expect(await listed(second)).toMatchObject([
    { id: 'new', nextAt: expect.stringMatching(/T19:00:00\.000Z$/), lastRunId: null },
  ]);
});

it('compares two runs, and a run with the last healthy one', async () => {
  const api = await start();
  const target = await httpTarget(scene.targets, healthy);
  const id = await api.store(topologyOf({ shop: target }));
  const diagnose = async () => {
    const runId = await api.accept(id);
    await api.reaches(runId, 'completed');
    return runId;
  };
  const well = await diagnose();
  target.behaviour = erroring;
  const first = await diagnose();
  const second = await diagnose();

  const compare = (query: string) =>
    api.ask<{ a: { runId: string }; changed: boolean; summary: string[] }>(
      'GET',
      `/executions/compare?${query}`,
    );
  const since = await compare(`b=${second}`);
  expect(since.data).toMatchObject({
    a: { runId: well },
    b: { runId: second },
    changed: true,
    verdict: { before: 'healthy' },
    rootCauses: { appeared: [{ node: 'shop' }] },
    nodes: [{ node: 'shop', before: 'healthy', after: 'failed' }],
  });
  expect(since.data.summary[0]).toMatch(/^The verdict changed from healthy to /);
  expect((await compare(`a=${first}&b=${second}`)).data).toMatchObject({
    changed: false,
    summary: [],
  });
  expect((await compare(`b=${well}`)).status).toBe(404);
  expect((await compare('a=x')).status).toBe(400);
  expect((await compare(`a=${well}&b=unknown`)).status).toBe(404);

  const page = await api.ask('GET', `/executions/${second}/postmortem.md`);
  expect(page.headers.get('content-type')).toMatch(/^text\/markdown/);
  expect(page.text).toMatch(/## Timeline\n\n- \S+Z: the diagnosis began/);
  expect(page.text).toContain('## Root causes');
  // By its display name, not by its id.
  expect(page.text).toMatch(/_probe of The shop: /);
  expect(page.text).not.toMatch(/of shop: /);
});
