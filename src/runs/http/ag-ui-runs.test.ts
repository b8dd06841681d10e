import { describe, expect, it, jest } from '@jest/globals';
import type { Request, Response } from 'express';
import { ConsiliumError } from '../../domain/errors.js';
import { LOCAL, setPrincipal } from '../../http/access/principal.js';
import type { RunStreams } from '../../streams/run-streams.js';
import type { Approvals } from '../approvals.js';
import { AgUiRuns } from './ag-ui-runs.js';
import type { ExecutionsService } from './executions.service.js';

const RUN = '01960d3c-5f2a-7cc0-8000-0123456789ab';
const DIGEST = 'a'.repeat(64);
const EXPIRES = '2026-11-22T13:00:00.000Z';
const idOf = (approvalId: string) => `${RUN}:${approvalId}:${DIGEST}`;
/** The frame in which a stream asks for an approval. */
const interruptAt = (sequence: number) =>
  `id: ${sequence}\ndata: ${JSON.stringify({
    type: 'RUN_FINISHED',
    outcome: { type: 'interrupt', interrupts: [{ id: idOf('t2'), expiresAt: EXPIRES }] },
  })}\n\n`;

/** Follows a run with one refused and one open approval. */
function runs(decide: Approvals['decide'] = jest.fn<Approvals['decide']>()) {
  const listed = [
    { approvalId: 't1', state: 'refused', sequence: 4 },
    { approvalId: 't2', state: 'open', sequence: 9 },
  ];
  const resume = jest.fn<RunStreams['resume']>(async () => undefined);
  const agUi = new AgUiRuns(
    {
      state: async () => ({ status: 'running', head: { owner: 'me' } }),
    } as unknown as ExecutionsService,
    { decide, list: async () => listed } as unknown as Approvals,
    { resume } as unknown as RunStreams,
  );
  const response = { locals: {} } as Response;
  const request = { headers: {}, socket: {}, res: response } as unknown as Request;
  setPrincipal(request, LOCAL);
  const follow = (body: Parameters<AgUiRuns['follow']>[1]) =>
    agUi.follow(RUN, body, request, response);
  return { follow, decide, resume };
}

const resolved = (approvalId: string, approved: boolean) =>
  ({ interruptId: idOf(approvalId), status: 'resolved', payload: { approved } }) as const;

describe('the runs of AG-UI', () => {
  it('are streamed from their beginning, until an approval that is open', async () => {
    const { follow, resume } = runs();
    await follow({});
    const [, run, format, cursor] = resume.mock.lastCall ?? [];
    expect([format, cursor]).toEqual(['ag-ui', { after: 0, parts: 0 }]);
    expect(run?.pausesUntil?.(interruptAt(9))).toBe(Date.parse(EXPIRES));
    expect(run?.pausesUntil?.(interruptAt(4))).toBeUndefined();
    expect(run?.pausesUntil?.('id: 9\ndata: {"type":"RUN_FINISHED"}\n\n')).toBeUndefined();
  });

  it('go on behind the approvals that were answered', async () => {
    const { follow, decide, resume } = runs();
    await follow({ resume: [resolved('t1', false), resolved('t2', true)] });
    expect(jest.mocked(decide).mock.calls.map(([, id, { decision }]) => [id, decision])).toEqual([
      ['t1', 'deny'],
      ['t2', 'approve'],
    ]);
    expect(resume.mock.lastCall?.[3]).toEqual({ after: 9, parts: 0 });
  });

  it('go on if an approval that the person gives no answer to is closed', async () => {
    const closed = async () => {
      throw new ConsiliumError('APPROVAL_CLOSED', 'It was decided.');
    };
    const { follow, resume } = runs(closed);
    await follow({ resume: [{ interruptId: idOf('t1'), status: 'cancelled' }] });
    expect(resume).toHaveBeenCalledTimes(1);
    await expect(follow({ resume: [resolved('t1', true)] })).rejects.toMatchObject({
      code: 'APPROVAL_CLOSED',
    });
  });

  it('take no answer to an interrupt of another run', async () => {
    const { follow, decide } = runs();
    const foreign = { ...resolved('t1', true), interruptId: `other:t1:${DIGEST}` };
    await expect(follow({ resume: [foreign] })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      options: { faults: [{ path: 'resume[0].interruptId' }] },
    });
    expect(decide).not.toHaveBeenCalled();
  });
});
