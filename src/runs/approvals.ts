import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { askedOnce, decidedOnce, isApprovalId } from '../domain/approval.js';
import { ConsiliumError } from '../domain/errors.js';
import type { ApprovalDecision, DraftEvent, RunEvent } from '../domain/events/event.js';
import { topRole, type RunHead } from '../domain/run.js';
import { LogPort } from '../event-log/log-port.js';
import { readApprovals } from '../event-log/read-approvals.js';
import { LOCAL, startedBy, type Principal } from '../http/access/principal.js';
import { Clock } from '../lib/clock.js';
import { redactSecrets } from '../lib/redact-secrets.js';
import { jobIdOf } from '../queues/job-ids.js';
import { QueuePort } from '../queues/queue-port.js';

/** A decision of a person. */
export interface HumanDecision {
  decision: Exclude<ApprovalDecision, 'expired'>;
  reason?: string | undefined;
  /** Of the `system.approval` that the person has seen. */
  args_digest: string;
}

export const APPROVAL_STATES = ['open', 'approved', 'refused', 'expired'] as const;

const PAST: Record<ApprovalDecision, (typeof APPROVAL_STATES)[number]> = {
  approve: 'approved',
  deny: 'refused',
  expired: 'expired',
};

/**
 * Decides about changes that agents request (contract section 11). The log accepts one decision for
 * each: the first one counts, and it is in the log before the caller is answered, so that it is
 * never lost.
 */
@Injectable()
export class Approvals {
  constructor(
    private readonly log: LogPort,
    private readonly queues: QueuePort,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'fourEyes'>,
  ) {}

  /**
   * Records a decision, and wakes the agent that waits for it. The same decision of the same
   * principal may be repeated.
   * @throws ConsiliumError NOT_FOUND, FORBIDDEN, APPROVAL_CLOSED, VALIDATION_FAILED, UNAVAILABLE
   */
  async decide(
    run: { runId: string; head: RunHead },
    approvalId: string,
    wanted: HumanDecision,
    principal: Principal,
  ): Promise<RunEvent<'system.decision'>> {
    const { runId, head } = run;
    const asked = isApprovalId(approvalId)
      ? ((await this.log.given(runId, askedOnce(approvalId))) as
          RunEvent<'system.approval'> | undefined)
      : undefined;
    if (!asked) throw new ConsiliumError('NOT_FOUND', 'There is no such approval in this run');
    if (this.config.fourEyes === 'on' && head.startedBy === startedBy(principal))
      throw new ConsiliumError(
        'FORBIDDEN',
        'You started this run: another operator must decide (FOUR_EYES)',
      );
    if (wanted.args_digest !== asked.data.args_digest)
      throw new ConsiliumError('VALIDATION_FAILED', 'The decision is about another call', {
        faults: [{ path: 'args_digest', message: 'is not that of this approval' }],
      });
    const decision = await this.record(runId, asked, wanted, principal);
    const { dispatch_id: dispatchId } = asked.data;
    // If this fails, the agent finds the decision by itself a few seconds later.
    await this.queues
      .wake([jobIdOf({ runId, dispatchId }, topRole(head.kind))])
      .catch(() => undefined);
    return decision;
  }

  /**
   * Lists the approvals of a run with their states, in the order of its log.
   * @param ended the run has ended
   */
  async list(runId: string, ended: boolean) {
    const all = await readApprovals(this.log, runId);
    return all.map(({ approval: { data, sequence }, decision }) => {
      const isOver = ended || this.clock.now() > Date.parse(data.expires_at);
      const state = decision ? PAST[decision.data.decision] : isOver ? 'expired' : 'open';
      const { approval_id: approvalId, tool, node, message, risk } = data;
      return {
        approvalId,
        state,
        by: decision?.data.by ?? null,
        tool,
        node,
        message,
        risk,
        argsDigest: data.args_digest,
        expiresAt: data.expires_at,
        sequence,
      };
    });
  }

  private async record(
    runId: string,
    { data: asked }: RunEvent<'system.approval'>,
    { decision, reason }: HumanDecision,
    principal: Principal,
  ): Promise<RunEvent<'system.decision'>> {
    const { approval_id, expires_at } = asked;
    // Without authentication the person who decided is unknown.
    const by = principal === LOCAL ? null : principal.name;
    const read = async () =>
      (await this.log.given(runId, decidedOnce(approval_id))) as
        RunEvent<'system.decision'> | undefined;
    const expiresAt = Date.parse(expires_at);
    if (this.clock.now() > expiresAt && !(await read())) throw closed('expired');
    const said = reason === undefined ? undefined : redactSecrets(reason);
    const event: DraftEvent = {
      name: 'system.decision',
      source: null,
      data: {
        approval_id,
        decision,
        by,
        ...(said !== undefined && { reason: said }),
        message: `${by ?? 'A person'} has ${PAST[decision]} it: ${asked.message}`,
      },
    };
    const noted = await this.log.note(runId, [event]);
    if (noted === 'full')
      throw new ConsiliumError('UNAVAILABLE', 'The log of the run is full', {
        retryAfterSeconds: 5,
      });
    const found = await read();
    if (!found) throw new ConsiliumError('APPROVAL_CLOSED', 'The run has ended');
    const isOwn = found.data.decision === decision && found.data.by === by;
    if (!isOwn) throw closed(found.data.decision, found.data.by);
    if (Date.parse(found.timestamp) > expiresAt) throw closed('expired');
    return found;
  }
}

const closed = (how: ApprovalDecision, by: string | null = null) =>
  new ConsiliumError(
    'APPROVAL_CLOSED',
    `The approval has already ${how === 'expired' ? 'expired' : `been ${PAST[how]}`}${by === null ? '' : ` by ${by}`}`,
  );
