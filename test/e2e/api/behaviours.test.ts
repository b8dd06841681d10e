import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Api } from '../../support/api.js';
import { expectValid } from '../../support/streams/event-stream.js';
import { Scene } from '../../support/scene.js';
import { healthy, httpTarget } from '../../support/processes/target.js';
import { teamOfEach } from '../../support/incidents/topology.js';

let scene: Scene;
let api: Api;
let folder: string;
beforeAll(async () => {
  scene = new Scene();
  folder = await mkdtemp(join(tmpdir(), 'consilium-behaviours-'));
  await writeFile(
    join(folder, 'silent.tree'),
    '(tree silent :description "Reports without a look." (action report))',
  );
  api = await scene.service({ BEHAVIOURS_DIR: folder });
});
afterAll(async () => {
  await scene.close();
  await rm(folder, { recursive: true, force: true });
});

test('are listed with their text', async () => {
  const { status, data } = await api.ask<{ items: Record<'name' | 'origin' | 'source', string>[] }>(
    'GET',
    '/behaviours',
  );
  expect(status).toBe(200);
  expect(data.items.map(({ name, origin }) => `${name} ${origin}`)).toEqual([
    'agent-loop shipped',
    'global-supervisor shipped',
    'oracle shipped',
    'silent user',
    'team-supervisor shipped',
    'worker shipped',
  ]);
  expect(data.items[3]?.source).toContain('(action report)');
});

const bound = async (id: number, behaviour: string) => {
  const topology = teamOfEach({
    one: await httpTarget(scene.targets, healthy),
    two: await httpTarget(scene.targets, healthy),
  });
  const stored = await api.ask<{ teams: { workers: object[] }[] }>('POST', '/topologies', {
    body: { ...topology, id },
  });
  const { teams } = stored.data;
  Object.assign(teams[0]?.workers[0] ?? {}, { behaviour });
  return api.ask('PUT', `/topologies/${id}`, { body: { ...stored.data, teams } });
};

test('an agent does what its own behaviour says', async () => {
  expect((await bound(901, 'silent.tree')).status).toBe(200);
  const events = expectValid((await (await api.trigger(901)).end()).text);
  const lookers = new Set(
    events.filter(({ key }) => key === 'llm.tool_call').map(({ source }) => source?.agent_name),
  );
  expect([...lookers]).toEqual(['The two worker']);
  expect(events.at(-1)?.key).toBe('lifecycle.completed');
});

test('a topology that names one which does not exist is refused', async () => {
  const refused = await bound(902, 'silence.tree');
  expect([refused.status, refused.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(refused.text).toContain('teams[0].workers[0].behaviour');
});
