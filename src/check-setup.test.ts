import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { checkSetup } from './check-setup.js';
import type { ConsiliumError, Fault } from './domain/errors.js';

const folder = mkdtempSync(join(tmpdir(), 'consilium-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function faultsOf(work: () => unknown): readonly Fault[] {
  try {
    work();
  } catch (error) {
    return (error as ConsiliumError).options.faults ?? [];
  }
  return [];
}

it('reports faults of variables, models and behaviours at once', () => {
  writeFileSync(join(folder, 'mine.tree'), '(sequenze)');
  const env = { PORT: '70000', MODEL: 'gpt-9', BEHAVIOURS_DIR: folder, RULES_DIR: '/nowhere' };
  const paths = faultsOf(() => checkSetup(env)).map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining(['PORT', 'MODEL', expect.stringMatching(/mine\.tree:1:/), '/nowhere']),
  );
});

it('checks a topology against the models and behaviours of the setup', () => {
  const agent = { name: 'Boss', agentId: '1', model: 'runbok', behaviour: 'mime' };
  const node = { id: 'db', name: 'Database', kind: 'tcp', endpoint: '127.0.0.1:5432' };
  const topology = { id: 7, name: 'Shop', nodes: [node], globalSupervisor: agent, version: 3 };
  const { check } = checkSetup({});
  expect(faultsOf(() => check(topology)).map(({ path }) => path)).toEqual([
    'globalSupervisor.model',
    'globalSupervisor.behaviour',
  ]);
  expect(check({ id: 7, name: 'Shop', nodes: [node], version: 3 }).teams).toHaveLength(1);
});

it('derives workers for nodes that only own tools measure', () => {
  const { check } = checkSetup({ TOOLS_DIR: join(import.meta.dirname, '../examples/tools') });
  const node = { id: 'mail', name: 'Mail', kind: 'spool' };
  const { teams } = check({ id: 7, name: 'Shop', nodes: [node] });
  expect(teams[0]?.workers[0]?.tools).toEqual(['queue_depth']);
  expect(faultsOf(() => checkSetup({ TOOLS_DIR: '/nowhere' }))).toMatchObject([
    { path: '/nowhere' },
  ]);
  expect(() => checkSetup({ TOOLS_DIR: '/nowhere' })).toThrow(/\/nowhere cannot be read: ENOENT/);
});
