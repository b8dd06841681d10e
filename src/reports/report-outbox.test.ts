import { beforeEach, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../test/support/incidents/drafts.js';
import { reportOf } from '../../test/support/incidents/outcomes.js';
import type { DraftEvent } from '../domain/events/event.js';
import { MemoryLog } from '../event-log/memory-log.js';
import { ReportOutbox } from './report-outbox.js';
import { ReportQueue, type ReportJob } from './report-queue.js';
import type { Destination } from './reports-file.js';

class MemoryReportQueue extends ReportQueue {
  readonly jobs = new Map<string, ReportJob>();
  override async add(job: ReportJob) {
    this.jobs.set(`${job.runId}.${job.destination}`, job);
  }
  override async stateOf({ runId, destination }: ReportJob) {
    const known = this.jobs.has(`${runId}.${destination}`);
    return known ? ({ status: 'waiting', attempts: 0, reason: null } as const) : undefined;
  }
  override consume() {}
}

let log: MemoryLog;
let queue: MemoryReportQueue;
beforeEach(() => void ([log, queue] = [new MemoryLog(), new MemoryReportQueue()]));

const destination = (id: string, more: Partial<Destination> = {}): Destination => ({
  id,
  kind: 'chat',
  url: 'http://x',
  tenant: 'default',
  ...more,
});
const outbox = (...destinations: Destination[]) =>
  new ReportOutbox(log, queue, { destinations, timeoutSeconds: 1, retrySeconds: [] });
const ended = (report = reportOf()): DraftEvent => ({
  ...(completed as Extract<DraftEvent, { name: 'lifecycle.completed' }>),
  data: { summary: 's', report, partial: false, reasons: [] },
});
async function run(runId: string, end: DraftEvent, kind: 'diagnosis' | 'chat' = 'diagnosis') {
  await log.create(runId, { ...spec, kind }, [started]);
  await log.seal(runId, () => end);
}

it('queues a report for each destination that wants it, once', async () => {
  await run('r', ended());
  const wanting = outbox(
    destination('all'),
    destination('this', { topologies: [1], on: ['root_cause_found'] }),
    destination('other', { topologies: [2] }),
    destination('healthy', { on: ['healthy'] }),
    destination('tenant', { tenant: 'another' }),
  );
  await wanting.beforeClose('r');
  await wanting.beforeClose('r');
  expect([...queue.jobs.keys()]).toEqual(['r.all', 'r.this']);
  expect((await wanting.states('r')).map((each) => each.destination)).toEqual(['all', 'this']);
});

it('queues none for healthy runs unless they are wanted, for chats, or for unknown runs', async () => {
  await run('h', ended(reportOf({ verdict: 'healthy' })));
  await run('c', ended(), 'chat');
  for (const runId of ['h', 'c', 'unknown']) await outbox(destination('all')).beforeClose(runId);
  expect(queue.jobs.size).toBe(0);
  await outbox(destination('all', { on: ['healthy'] })).beforeClose('h');
  expect([...queue.jobs.keys()]).toEqual(['h.all']);
});
