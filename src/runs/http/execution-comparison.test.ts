import { beforeEach, expect, it } from '@jest/globals';
import { spec, started } from '../../../test/support/incidents/drafts.js';
import { MemoryIndex } from '../../../test/support/memory/memory-index.js';
import type { DraftEvent } from '../../domain/events/event.js';
import type { RunSpec } from '../../domain/run.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import { ExecutionComparison } from './execution-comparison.js';
import { ExecutionList } from './execution-list.js';
import { ExecutionsService } from './executions.service.js';
import { RunDigests } from './run-digests.js';

const unused = undefined as never;
let now: number;
let log: MemoryLog;
let index: MemoryIndex;
let comparison: ExecutionComparison;
beforeEach(() => {
  now = 1_000;
  log = new MemoryLog(undefined, () => now);
  index = new MemoryIndex();
  comparison = new ExecutionComparison(
    log,
    new ExecutionsService(log, unused, unused, unused, unused),
    new ExecutionList(log, index.asIndex, new RunDigests(log)),
  );
});

const idOf = (i: number) => `01960d3c-5f2a-7cc0-8000-${String(i).padStart(12, '0')}`;
const ended = (verdict: string, cause?: string): DraftEvent =>
  ({
    name: 'lifecycle.completed',
    source: null,
    data: {
      summary: 'Done.',
      partial: false,
      reasons: [],
      report: {
        verdict,
        findings: [],
        unchecked: [],
        headline: verdict,
        root_causes: cause
          ? [{ node: cause, title: `${cause} is down`, confidence: 0.9, evidence: [] }]
          : [],
        counts: { critical: 0, warning: 0, info: 0 },
      },
    },
  }) as unknown as DraftEvent;

/** Accepts a run, a second after the one before, and ends it. */
async function run(i: number, end?: DraftEvent, more: Partial<RunSpec> = {}): Promise<string> {
  now += 1_000;
  await log.create(idOf(i), { ...spec, ...more }, [started]);
  index.addAt(idOf(i), now);
  if (end) await log.seal(idOf(i), () => end);
  return idOf(i);
}
const compare = (b: string, a = 'last-healthy') => comparison.compare({ a, b }, 'somebody');

it('compares a run with the last healthy one before it', async () => {
  await run(1, ended('healthy'));
  const healthy = await run(2, ended('healthy'));
  await run(3, ended('inconclusive'));
  const broken = await run(4, ended('root_cause_found', 'db'));
  await run(5, ended('healthy'));
  const found = await compare(broken);
  expect([found.a.runId, found.b.runId]).toEqual([healthy, broken]);
  expect(found).toMatchObject({
    changed: true,
    verdict: { before: 'healthy', after: 'root_cause_found' },
    rootCauses: { appeared: [{ node: 'db' }], gone: [] },
  });
});

it('does not compare a healthy run with itself', async () => {
  const first = await run(1, ended('healthy'));
  const second = await run(2, ended('healthy'));
  expect(await compare(second)).toMatchObject({ a: { runId: first }, changed: false });
  await expect(compare(first)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('says that the topology was changed in between', async () => {
  await run(1, ended('healthy'));
  const b = await run(2, ended('healthy'), { topologyVersion: 2 });
  const { changed, summary } = await compare(b);
  expect([changed, summary[0]]).toEqual([
    true,
    'The topology was changed: version 1 became version 2.',
  ]);
});

it('refuses runs that have no report, or of two topologies', async () => {
  const healthy = await run(1, ended('healthy'));
  const open = await run(2);
  const other = await run(3, ended('healthy'), { topology: { ...spec.topology, id: 9 } });
  const failed = await run(4, {
    name: 'lifecycle.failed',
    source: null,
    data: { error: 'x', code: 'DEADLINE', retryable: false, report: null },
  } as unknown as DraftEvent);
  const fault = (path: string) => ({
    code: 'VALIDATION_FAILED',
    options: { faults: [{ path, message: expect.any(String) }] },
  });
  await expect(compare(open, healthy)).rejects.toMatchObject(fault('b'));
  await expect(compare(healthy, failed)).rejects.toMatchObject(fault('a'));
  await expect(compare(healthy, other)).rejects.toMatchObject(fault('a'));
  await expect(compare(idOf(99), healthy)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
  await expect(compare('../x', healthy)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
});
