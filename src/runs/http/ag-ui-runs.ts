import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { ConsiliumError } from '../../domain/errors.js';
import { isTerminalStatus } from '../../domain/run-status.js';
import { interruptIn, readInterruptId } from '../../formats/ag-ui/interrupts.js';
import { principalOf, type Principal } from '../../http/access/principal.js';
import { callerOf } from '../../http/caller.js';
import { setAuditObject } from '../../http/audit/audit-requests.js';
import { RunStreams } from '../../streams/run-streams.js';
import { Approvals } from '../approvals.js';
import { aboutTheCall } from './about-the-call.js';
import { ExecutionsService } from './executions.service.js';

const interruptId = z.string().max(300);

/** `RunAgentInput` of AG-UI: https://docs.ag-ui.com/spec/1.0/basic/patterns/interrupt-resume */
export const agUiRunSchema = z.object({
  resume: z
    .array(
      z.discriminatedUnion('status', [
        z.object({
          status: z.literal('resolved'),
          interruptId,
          payload: z.strictObject(
            { approved: z.boolean(), reason: z.string().max(500).optional() },
            { error: aboutTheCall },
          ),
        }),
        z.object({ status: z.literal('cancelled'), interruptId }),
      ]),
    )
    .max(100)
    .nullish()
    .meta({ description: 'Answers to the interrupts of the run' }),
});
type AgUiRun = z.infer<typeof agUiRunSchema>;

/** An answer to an interrupt. */
interface Answer {
  approvalId: string;
  argsDigest: string;
  decision: 'approve' | 'deny';
  reason?: string | undefined;
  /** The person gave no answer: this is accepted if the approval was decided or has expired. */
  isAbandoned: boolean;
}

/** Runs for AG-UI clients: each approval interrupts the stream, and the next request answers it. */
@Injectable()
export class AgUiRuns {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly approvals: Approvals,
    private readonly streams: RunStreams,
  ) {}

  /**
   * Records the answers, and streams what follows their approvals, until the next approval that was
   * open when the request arrived. Without answers, streams the run from its beginning.
   * @throws ConsiliumError RUN_NOT_FOUND, and those of `Approvals.decide`
   */
  async follow(
    runId: string,
    { resume }: AgUiRun,
    request: Request,
    response: Response,
  ): Promise<void> {
    const caller = callerOf(request);
    const principal = principalOf(request);
    const { head } = await this.executions.state(runId, caller);
    const answers = answersIn(runId, resume ?? []);
    if (answers.length > 0)
      setAuditObject(
        response,
        answers.map(({ decision, approvalId }) => `${decision} ${approvalId}`).join(', '),
      );
    for (const answer of answers) await this.record({ runId, head }, answer, principal);
    const state = await this.executions.state(runId, caller);
    const all = await this.approvals.list(runId, isTerminalStatus(state.status));
    const answered = new Set(answers.map(({ approvalId }) => approvalId));
    const seen = all.filter(({ approvalId }) => answered.has(approvalId));
    const after = Math.max(0, ...seen.map(({ sequence }) => sequence));
    const closed = new Set(all.flatMap((each) => (each.state === 'open' ? [] : each.sequence)));
    // The client returns with the answer of a person: until the approval expires, it counts as a
    // follower of the run.
    const pausesUntil = (frame: string) => {
      const interrupt = interruptIn(frame);
      return interrupt && !closed.has(interrupt.sequence) ? interrupt.expiresAt : undefined;
    };
    await this.streams.resume(response, { runId, state, pausesUntil }, 'ag-ui', {
      after,
      parts: 0,
    });
  }

  private async record(
    run: Parameters<Approvals['decide']>[0],
    { approvalId, argsDigest, decision, reason, isAbandoned }: Answer,
    principal: Principal,
  ): Promise<void> {
    try {
      const decided = { decision, reason, args_digest: argsDigest };
      await this.approvals.decide(run, approvalId, decided, principal);
    } catch (error) {
      const isClosed = error instanceof ConsiliumError && error.code === 'APPROVAL_CLOSED';
      if (!(isClosed && isAbandoned)) throw error;
    }
  }
}

/** @throws ConsiliumError VALIDATION_FAILED for an interrupt of another run */
function answersIn(runId: string, resume: NonNullable<AgUiRun['resume']>): Answer[] {
  return resume.map((entry, i) => {
    const interrupt = readInterruptId(runId, entry.interruptId);
    if (!interrupt)
      throw new ConsiliumError('VALIDATION_FAILED', 'The request is not valid', {
        faults: [{ path: `resume[${i}].interruptId`, message: 'is no interrupt of this run' }],
      });
    if (entry.status === 'cancelled') return { ...interrupt, decision: 'deny', isAbandoned: true };
    const { approved, reason } = entry.payload;
    return { ...interrupt, decision: approved ? 'approve' : 'deny', reason, isAbandoned: false };
  });
}
