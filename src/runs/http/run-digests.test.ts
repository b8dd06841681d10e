import { beforeEach, expect, it } from '@jest/globals';
import { completed, spec, started } from '../../../test/support/incidents/drafts.js';
import type { DraftEvent } from '../../domain/events/event.js';
import { MemoryLog } from '../../event-log/memory-log.js';
import type { RunState } from '../../event-log/log-port.js';
import { RunDigests } from './run-digests.js';

/** Counts the reads of events. */
class CountingLog extends MemoryLog {
  reads = 0;
  override events(...args: Parameters<MemoryLog['events']>) {
    this.reads++;
    return super.events(...args);
  }
}

let log: CountingLog;
let digests: RunDigests;
beforeEach(() => {
  log = new CountingLog();
  digests = new RunDigests(log);
});

const stateOf = async (runId: string) => (await log.state(runId)) as RunState;
const digest = async (runId: string) => digests.of(runId, await stateOf(runId));
const report = (id: string, title: string): DraftEvent =>
  ({
    name: 'dispatch.report',
    source: null,
    data: {
      dispatch_id: id,
      summary: 's',
      status: 'ok',
      reasons: [],
      partial: false,
      findings: [{ node: 'db', severity: 'critical', title, detail: '', evidence: [] }],
    },
  }) as unknown as DraftEvent;

it('reads the end of a run once', async () => {
  await log.create('r', spec, [started]);
  await log.seal('r', () => completed);
  log.reads = 0;
  const first = await digest('r');
  expect(await digest('r')).toBe(first);
  expect(log.reads).toBe(1);
});

it('reads another end if a failover took the first one back', async () => {
  await log.create('r', spec, [started]);
  await log.seal('r', () => completed);
  log.reads = 0;
  await digest('r');
  const state = await stateOf('r');
  await digests.of('r', { ...state, lastSequence: state.lastSequence + 1 });
  expect(log.reads).toBe(2);
});

it('has the worst finding of an open diagnosis so far, and nothing before its first agent', async () => {
  await log.create('r', spec, [started]);
  expect(await digest('r')).toMatchObject({ headline: null, verdict: null });
  await log.claim('r', 'w');
  const step = (n: number, event: DraftEvent) =>
    log.append('r', { writer: 'w', epoch: 1, step: n, events: [event] });
  await step(1, report('d1', 'refuses connections'));
  expect((await digest('r')).headline).toContain('refuses connections');
});

it('names the node of the worst finding as the topology of the run does', async () => {
  const hierarchy = {
    topology_id: 1,
    version: 1,
    global_supervisor: { agent_id: '1', agent_name: 'Head' },
    teams: [],
    nodes: [{ id: 'db', name: 'Database', kind: 'tcp', depends_on: [] }],
  };
  const topology = { name: 'system.topology', source: null, data: { hierarchy } };
  await log.create('r', spec, [started, topology as unknown as DraftEvent]);
  await log.claim('r', 'w');
  const events = [report('d1', 'refuses connections')];
  await log.append('r', { writer: 'w', epoch: 1, step: 1, events });
  expect((await digest('r')).headline).toBe('Database: refuses connections');
});

it('has nothing for a chat that is open', async () => {
  await log.create('c', { ...spec, kind: 'chat' }, [started]);
  await log.claim('c', 'w');
  expect((await digest('c')).headline).toBeNull();
});
