import { beforeEach, expect, it } from '@jest/globals';
import { spec, started } from '../../test/support/incidents/drafts.js';
import type { ApprovalDecision } from '../domain/events/event.js';
import { MemoryLog } from './memory-log.js';
import { readApprovals } from './read-approvals.js';
import { readRepairs } from './read-repairs.js';

let log: MemoryLog;
beforeEach(async () => {
  log = new MemoryLog();
  await log.create('r', spec, [started]);
});

const ask = (approval_id: string) =>
  log.note('r', [
    {
      name: 'system.approval',
      source: null,
      data: {
        approval_id,
        tool_call_id: approval_id,
        dispatch_id: null,
        turn: 1,
        tool: 'fix',
        args: { node: 'web' },
        args_digest: 'a'.repeat(64),
        node: 'web',
        risk: 'Some.',
        message: 'Fix it.',
        expires_at: '2026-01-01T00:00:00.000Z',
      },
    },
  ]);
const decide = (approval_id: string, decision: ApprovalDecision, by: string | null) =>
  log.note('r', [
    {
      name: 'system.decision',
      source: null,
      data: { approval_id, decision, by, message: 'Decided.' },
    },
  ]);

it('lists a change without a decision or a result, as of a run that is cancelled while it waits', async () => {
  await ask('t1');
  expect(await readRepairs(log, 'r', { repair: true })).toEqual([
    {
      node: 'web',
      tool: 'fix',
      outcome: 'expired',
      decided_by: null,
      evidence: [2],
      text: 'The run ended before a person decided: the change was not carried out.',
    },
  ]);
  expect(await readRepairs(log, 'r', {})).toEqual([]);
});

it.each([
  ['approve', 'ann', 'failed'],
  ['deny', 'ann', 'refused'],
  ['expired', null, 'expired'],
] as const)('says how a change ended that was decided (%s) and has no result', async (...row) => {
  const [decision, by, outcome] = row;
  await ask('t1');
  await decide('t1', decision, by);
  expect(await readRepairs(log, 'r', { repair: true })).toMatchObject([
    { outcome, decided_by: by, evidence: [2] },
  ]);
});

it('reads all approvals with their decisions, in the order of the log', async () => {
  for (const id of ['t2', 't1']) await ask(id);
  await decide('t1', 'deny', 'ann');
  expect(await readApprovals(log, 'r')).toMatchObject([
    { approval: { data: { approval_id: 't2' } } },
    { approval: { data: { approval_id: 't1' } }, decision: { data: { by: 'ann' } } },
  ]);
});
