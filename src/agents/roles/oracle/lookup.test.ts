import { beforeEach, expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY } from '../../../../test/support/models/agent-session.js';
import { completed, spec, started } from '../../../../test/support/incidents/drafts.js';
import { MemoryIndex } from '../../../../test/support/memory/memory-index.js';
import type { DraftEvent } from '../../../domain/events/event.js';
import { HIDDEN } from '../../../domain/topology/names-in-text.js';
import { MemoryLog } from '../../../event-log/memory-log.js';
import type { TopologyStore } from '../../../topologies/topology-store.js';
import { Lookup } from './lookup.js';

const ASKER = spec.owner;
const idOf = (n: number) => `01900000-0000-7000-8000-00000000000${n}`;

let log: MemoryLog;
let index: MemoryIndex;
let lookup: Lookup;
beforeEach(() => {
  [log, index] = [new MemoryLog(), new MemoryIndex()];
  const store = { of: () => ({ get: async () => undefined }) } as unknown as TopologyStore;
  lookup = new Lookup(log, index.asIndex, store);
});

async function accept(n: number, createdAt: number): Promise<string> {
  await log.create(idOf(n), spec, [started]);
  index.addAt(idOf(n), createdAt);
  return idOf(n);
}

it('lists the diagnoses that began in a time', async () => {
  for (const n of [1, 2, 3]) await accept(n, n * 1_000);
  const { result } = await lookup.runs(ASKER, { since: 2_000, until: 2_999, limit: 5 });
  expect(result).toMatchObject({ runs: [{ run_id: idOf(2) }] });
});

it('lists the first diagnoses from a time on, if the oldest are wanted first', async () => {
  for (const n of [1, 2, 3, 4]) await accept(n, n * 1_000);
  const { result } = await lookup.runs(ASKER, { since: 2_000, oldestFirst: true, limit: 2 });
  expect(result).toMatchObject({ runs: [{ run_id: idOf(2) }, { run_id: idOf(3) }] });
});

it('lists the diagnoses whose id begins as given, and cites none', async () => {
  for (const n of [1, 2, 3]) await accept(n, n * 1_000);
  const found = await lookup.runs(ASKER, { idPrefix: idOf(2), limit: 5 });
  expect(found).toMatchObject({ result: { runs: [{ run_id: idOf(2) }] }, sources: [] });
  const all = await lookup.runs(ASKER, { idPrefix: '01900000', limit: 5 });
  expect(all.result).toMatchObject({ runs: { length: 3 } });
});

it('counts diagnoses beyond what it lists', async () => {
  for (let n = 0; n < 130; n++) {
    const runId = `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;
    await log.create(runId, spec, [started]);
    index.addAt(runId, n * 1_000);
  }
  const count = async (wanted: { since?: number; status?: string }) =>
    (await lookup.runs(ASKER, { ...wanted, count: true, limit: 5 })).result;
  expect(await count({})).toEqual({ count: 130 });
  expect(await count({ since: 10_000 })).toEqual({ count: 120 });
  expect(await count({ status: 'completed' })).toEqual({ count: 0 });
});

it('lists the diagnoses before many chats', async () => {
  const diagnosis = await accept(1, 1_000);
  for (let n = 0; n < 300; n++) {
    const chat = `01900000-0000-7000-9000-${String(n).padStart(12, '0')}`;
    await log.create(chat, { ...spec, kind: 'chat' }, [started]);
    index.addAt(chat, 2_000 + n);
  }
  const { result } = await lookup.runs(ASKER, { limit: 1 });
  expect(result).toMatchObject({ runs: [{ run_id: diagnosis }] });
});

it('shows what a run waits with for an approval, until it is decided or the run has ended', async () => {
  const runId = await accept(1, 1_000);
  const asked = (approval_id: string): DraftEvent => ({
    name: 'system.approval',
    source: null,
    data: {
      approval_id,
      tool_call_id: approval_id,
      dispatch_id: null,
      turn: 1,
      tool: 'mend',
      args: {},
      args_digest: 'a'.repeat(64),
      node: 'web',
      message: 'Mend it.',
      risk: 'Some.',
      expires_at: '2026-11-23T12:00:00.000Z',
    },
  });
  await log.note(runId, [asked('t1'), asked('t2')]);
  const decision = { approval_id: 't1', decision: 'deny', by: null, message: 'No.' } as const;
  await log.note(runId, [{ name: 'system.decision', source: null, data: decision }]);
  const open = { approval_id: 't2', tool: 'mend', node: 'web', message: 'Mend it.' };
  expect((await lookup.run(ASKER, runId)).result).toMatchObject({ approvals: [open] });
  await log.seal(runId, () => completed);
  expect((await lookup.run(ASKER, runId)).result).not.toHaveProperty('approvals');
});

it('takes the names of topologies and nodes out of a text', async () => {
  const topology = { ...SMALL_TOPOLOGY, name: 'Report engine' };
  const items = [{ id: 7, name: topology.name, nodeCount: topology.nodes.length }];
  const list = async () => ({ items, next: null });
  const store = { of: () => ({ list, get: async () => ({ topology }) }) };
  const lookup = new Lookup(log, index.asIndex, store as unknown as TopologyStore);
  expect(await lookup.withoutNames(ASKER, 'Diagnose the Report Engine')).toBe(
    `diagnose the ${HIDDEN}`,
  );
});

it('lists the topologies that a text names with what it names, and the others if they are wanted', async () => {
  const items = ['Report engine', 'Mall'].map((name, i) => ({ id: i + 1, name, nodeCount: 3 }));
  const get = async (id: number) => ({ topology: { ...SMALL_TOPOLOGY, ...items[id - 1] } });
  const store = { of: () => ({ list: async () => ({ items, next: null }), get }) };
  const lookup = new Lookup(log, index.asIndex, store as unknown as TopologyStore);
  const named = { id: 2, name: 'Mall', named: ['Mall', 'mall'] };
  const naming = 'is the mall ok?';
  expect((await lookup.topologies(ASKER, { naming })).result).toMatchObject({
    topologies: [named],
  });
  const { result } = await lookup.topologies(ASKER, { naming, others: true });
  expect(result).toMatchObject({ topologies: [{ id: 1, name: 'Report engine' }, named] });
  expect((result as { topologies: object[] }).topologies[0]).not.toHaveProperty('named');
});
