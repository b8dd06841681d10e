import { expect, it } from '@jest/globals';
import type { ApprovalRecord, Client, RunCard, RunFilter } from '../../client/index.js';
import { listApprovals } from './open-approvals.js';

const approval = (approvalId: string, state: ApprovalRecord['state'] = 'open') =>
  ({
    approvalId,
    state,
    message: `Restart ${approvalId}.`,
    risk: 'Some\u001b[2J.',
    expiresAt: '2026-11-23T12:00:00.000Z',
  }) as ApprovalRecord;

/** A service with these runs, each with its approvals. */
function serviceOf(runs: Record<string, ApprovalRecord[]>) {
  const filters: RunFilter[] = [];
  const client: Pick<Client, 'url' | 'approvals' | 'runs'> = {
    url: 'http://127.0.0.1:3000',
    approvals: async (runId) => runs[runId] ?? [],
    runs: async function* (filter = {}) {
      filters.push(filter);
      for (const runId of Object.keys(runs)) yield { runId } as RunCard;
    },
  };
  return { client, filters };
}

it('lists the open approvals of all runs, each with the command that approves it', async () => {
  const { client, filters } = serviceOf({
    r1: [approval('t1', 'approved'), approval('t2')],
    r2: [],
    r3: [approval('t1')],
  });
  expect((await listApprovals(client)).split('\n')).toEqual([
    'Restart t2. Some [2J. Expires at 2026-11-23T12:00:00.000Z.',
    '  npm run approve -- r1 t2',
    'Restart t1. Some [2J. Expires at 2026-11-23T12:00:00.000Z.',
    '  npm run approve -- r3 t1',
  ]);
  expect(filters).toEqual([{ status: 'running', kind: 'diagnosis' }]);
});

it('lists those of one run', async () => {
  const { client } = serviceOf({ r1: [approval('t1')], r2: [approval('t2', 'expired')] });
  expect(await listApprovals(client, 'r1')).toMatch(/^ {2}npm run approve -- r1 t1$/m);
  expect(await listApprovals(client, 'r2')).toBe('The run asks for nothing.');
});

it('says so if no run asks for anything', async () => {
  expect(await listApprovals(serviceOf({ r1: [] }).client)).toBe('No run asks for anything.');
});

it('checks a bounded number of runs', async () => {
  const runs = Object.fromEntries([...new Array(101).keys()].map((i) => [`r${i}`, []]));
  expect(await listApprovals(serviceOf(runs).client)).toBe(
    'Only the newest 100 runs were checked.',
  );
});
