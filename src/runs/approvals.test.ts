import { beforeEach, expect, it } from '@jest/globals';
import { spec, started } from '../../test/support/incidents/drafts.js';
import type { DraftEvent, EventData } from '../domain/events/event.js';
import { headOf } from '../domain/run.js';
import { MemoryLog } from '../event-log/memory-log.js';
import { LOCAL, startedBy, type Principal } from '../http/access/principal.js';
import { MemoryQueue } from '../queues/memory-queue.js';
import { Approvals } from './approvals.js';

const ann: Principal = { tenant: 'default', name: 'ann', role: 'operator' };
const bob: Principal = { ...ann, name: 'bob' };
const args_digest = 'a'.repeat(64);
const approval = (expiresAt: number): EventData['system.approval'] => ({
  approval_id: 't1',
  tool_call_id: 't1',
  dispatch_id: null,
  turn: 1,
  tool: 'fix',
  args: { node: 'web' },
  args_digest,
  node: 'web',
  risk: 'Some.',
  message: 'Fix it.',
  expires_at: new Date(expiresAt).toISOString(),
});

let log: MemoryLog;
let woken: string[];
/** The clock of Redis. */
let now: number;
beforeEach(() => {
  log = new MemoryLog();
  woken = [];
  now = Date.now();
});

/** A run that asks. */
async function asking(expiresAt = now + 60_000, fourEyes: 'on' | 'off' = 'off') {
  const own = { ...spec, startedBy: startedBy(ann) as string };
  await log.create('r', own, [started]);
  const asked: DraftEvent = { name: 'system.approval', source: null, data: approval(expiresAt) };
  await log.note('r', [asked]);
  const queues = new MemoryQueue();
  queues.wake = async (ids) => (woken.push(...ids), []);
  const approvals = new Approvals(log, queues, { now: () => now }, { fourEyes });
  const decide = (principal: Principal, decision: 'approve' | 'deny' = 'approve', more = {}) =>
    approvals.decide(
      { runId: 'r', head: headOf(own) },
      't1',
      { decision, args_digest, ...more },
      principal,
    );
  return { approvals, decide };
}

it('records a decision once, and wakes the agent', async () => {
  const { decide } = await asking();
  const first = await decide(ann, 'approve', { reason: 'go, password=hunter22' });
  expect(first.data).toMatchObject({
    decision: 'approve',
    by: 'ann',
    message: 'ann has approved it: Fix it.',
    reason: expect.not.stringContaining('hunter22') as unknown,
  });
  expect((await decide(ann)).sequence).toBe(first.sequence);
  expect(woken).toEqual(['r', 'r']);
  await expect(decide(bob)).rejects.toMatchObject({ code: 'APPROVAL_CLOSED' });
  await expect(decide(ann, 'deny')).rejects.toThrow('already been approved by ann');
});

it('names no one who decided without authentication', async () => {
  const { decide } = await asking();
  const first = await decide(LOCAL);
  expect(first.data).toMatchObject({ by: null, message: 'A person has approved it: Fix it.' });
  expect((await decide(LOCAL)).sequence).toBe(first.sequence);
  await expect(decide(LOCAL, 'deny')).rejects.toThrow(/already been approved$/);
});

it('takes only a decision about the call that was asked for', async () => {
  const { decide, approvals } = await asking();
  await expect(decide(ann, 'approve', { args_digest: 'b'.repeat(64) })).rejects.toMatchObject({
    code: 'VALIDATION_FAILED',
  });
  const other = { decision: 'approve', args_digest } as const;
  for (const id of ['t2', '', 'once', '../t1', 't1\n'])
    await expect(
      approvals.decide({ runId: 'r', head: headOf(spec) }, id, other, ann),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await log.given('r', 'decision-t1')).toBeUndefined();
});

it('refuses the principal that started the run, with FOUR_EYES', async () => {
  const { decide } = await asking(undefined, 'on');
  await expect(decide(ann)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect((await decide(bob)).data.by).toBe('bob');
});

it.each([3_600_000, -3_600_000])(
  'counts the time of an approval by the clock of Redis, %d ms from that of the process',
  async (ms) => {
    now = Date.now() + ms;
    log = new MemoryLog(undefined, () => now);
    const { decide } = await asking(now + 1_000);
    expect((await decide(ann)).data.decision).toBe('approve');
    log = new MemoryLog(undefined, () => now);
    const late = await asking(now - 1);
    await expect(late.decide(ann)).rejects.toThrow('has already expired');
  },
);

it('refuses a decision after the time, and in a run that has ended', async () => {
  const { decide } = await asking(now - 1);
  await expect(decide(ann)).rejects.toThrow('has already expired');
  expect(await log.given('r', 'decision-t1')).toBeUndefined();
  log = new MemoryLog();
  const ended = await asking();
  await log.seal('r', () => ({
    name: 'lifecycle.cancelled',
    source: null,
    data: { reason: 'x', report: null },
  }));
  await expect(ended.decide(ann)).rejects.toThrow('The run has ended');
});

it('lists the approvals of a run with their states', async () => {
  const { approvals, decide } = await asking();
  const states = async (ended = false) =>
    (await approvals.list('r', ended)).map(({ state, by }) => [state, by]);
  expect(await states()).toEqual([['open', null]]);
  expect(await states(true)).toEqual([['expired', null]]);
  await decide(ann);
  expect(await states(true)).toEqual([['approved', 'ann']]);
});
