import { expect, it } from '@jest/globals';
import { SMALL_TOPOLOGY, sessionOf } from '../../../../test/support/models/agent-session.js';
import type { LogPort } from '../../../event-log/log-port.js';
import { dispatchesInRun, dispatchFault } from './dispatch-limits.js';

const worker = { agentId: '3', name: 'Web worker' };
const lead = { agentId: '2', name: 'Team' };

it('H6: dispatches a worker three times in a run, and no more', () => {
  expect(dispatchFault(SMALL_TOPOLOGY, ['3', '3', '4'], worker)).toBeNull();
  expect(dispatchFault(SMALL_TOPOLOGY, ['3', '3', '3'], worker)).toMatch(/dispatched 3 times/);
});

it('H6: dispatches four times as often in all as there are workers', () => {
  expect(dispatchFault(SMALL_TOPOLOGY, Array<string>(7).fill('2'), lead)).toBeNull();
  expect(dispatchFault(SMALL_TOPOLOGY, Array<string>(8).fill('2'), lead)).toMatch(/at most 8/);
});

it('counts dispatches of the run, but no librarians and no reports', async () => {
  const events = [
    ['team', '2'],
    ['worker', '3'],
    ['worker', '3.librarian'],
    ['report', '3'],
  ].map(([action, agent_id]) => ({ event: { action }, data: { agent_id } }));
  const log = { reports: () => Promise.resolve(events) } as unknown as LogPort;
  const { session } = sessionOf();
  expect(await dispatchesInRun(session, log)).toEqual(['2', '3']);
});
