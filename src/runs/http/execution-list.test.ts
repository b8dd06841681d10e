import { beforeEach, expect, it } from '@jest/globals';
import { spec, started } from '../../../test/support/incidents/drafts.js';
import { MemoryIndex } from '../../../test/support/memory/memory-index.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import { ExecutionList } from './execution-list.js';
import { listQuerySchema } from './execution-query.js';
import { RunChanges } from './run-changes.js';
import { RunDigests } from './run-digests.js';

let now: number;
let log: MemoryLog;
let index: MemoryIndex;
let list: ExecutionList;
beforeEach(() => {
  now = 1_000;
  log = new MemoryLog(undefined, () => now);
  index = new MemoryIndex();
  list = new ExecutionList(log, index.asIndex, new RunDigests(log));
});

const idOf = (i: number) => `01960d3c-5f2a-7cc0-8000-${String(i).padStart(12, '0')}`;
const failed: DraftEvent = {
  name: 'lifecycle.failed',
  source: null,
  data: {
    error: 'The disk of the Store is full',
    code: 'LOG_LIMIT',
    retryable: false,
    report: null,
  },
};
const completed: DraftEvent = {
  name: 'lifecycle.completed',
  source: null,
  data: {
    summary: 'Healthy.',
    partial: false,
    reasons: [],
    report: {
      verdict: 'healthy',
      root_causes: [],
      findings: [],
      unchecked: [],
      counts: { critical: 0, warning: 0, info: 0 },
      headline: 'All nodes are healthy',
    },
  },
};

/** Accepts a run, a second after the one before. */
async function accept(i: number, end?: DraftEvent): Promise<string> {
  now += 1_000;
  const runId = idOf(i);
  await log.create(runId, spec, [started]);
  index.addAt(runId, now);
  if (end) await log.seal(runId, () => end);
  return runId;
}
const page = (query: object) => list.page(listQuerySchema.parse(query), 'somebody');
const idsOf = async (query: object) => (await page(query)).items.map(({ runId }) => runId);

it('has no cursor after a full last page', async () => {
  for (let i = 1; i <= 4; i++) await accept(i);
  const first = await page({ limit: '2' });
  expect(first.nextCursor).not.toBeNull();
  expect(await page({ limit: '2', cursor: first.nextCursor })).toMatchObject({
    items: [{ runId: idOf(2) }, { runId: idOf(1) }],
    nextCursor: null,
  });
});

it('filters by several statuses, by verdict, time and text', async () => {
  const a = await accept(1, failed);
  const b = await accept(2, completed);
  const c = await accept(3);
  expect(await idsOf({ status: 'failed,completed' })).toEqual([b, a]);
  expect(await idsOf({ status: ['failed', 'queued'] })).toEqual([c, a]);
  expect(await idsOf({ verdict: 'healthy,inconclusive' })).toEqual([b]);
  expect(await idsOf({ q: 'STORE is FULL' })).toEqual([a]);
  expect(await idsOf({ q: 'all nodes' })).toEqual([b]);
  expect(await idsOf({ since: new Date(3_000).toISOString() })).toEqual([c, b]);
  expect(await idsOf({ until: new Date(3_000).toISOString() })).toEqual([b, a]);
});

it('says how runs ended', async () => {
  await accept(1, failed);
  await accept(2, completed);
  expect((await page({})).items).toMatchObject([
    { verdict: 'healthy', headline: 'All nodes are healthy', counts: { critical: 0 }, error: null },
    { verdict: null, error: { code: 'LOG_LIMIT' }, logKept: true },
  ]);
});

it.each([{ status: 'failed,lost' }, { verdict: 'bad' }, { since: 'noon' }, { q: 'x'.repeat(201) }])(
  'refuses %j',
  (query) => expect(listQuerySchema.safeParse(query).success).toBe(false),
);

it('reports the runs that changed since the last look, also those that began and ended in between', async () => {
  const changes = new RunChanges(log, index.asIndex);
  const look = async () =>
    (await changes.read(['default'])).map(({ runId, state }) => [runId, state.status]);
  const a = await accept(1);
  expect(await look()).toEqual([]);
  const b = await accept(2, completed);
  index.closeRun(b);
  expect(await look()).toEqual([[b, 'completed']]);
  expect(await look()).toEqual([]);
  await log.seal(a, () => failed);
  index.closeRun(a);
  expect(await look()).toEqual([[a, 'failed']]);
  changes.forget();
  await accept(3);
  expect(await look()).toEqual([]);
});
