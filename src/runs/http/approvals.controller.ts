import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { isTerminalStatus } from '../../domain/run-status.js';
import { principalOf } from '../../http/access/principal.js';
import { Requires } from '../../http/access/requires.js';
import { setAuditObject } from '../../http/audit/audit-requests.js';
import { Caller } from '../../http/caller.js';
import { Answers, Refuses, Takes, TakesParam } from '../../http/openapi.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { APPROVAL_STATES, Approvals } from '../approvals.js';
import { aboutTheCall } from './about-the-call.js';
import { ExecutionsService } from './executions.service.js';

const decisionSchema = z.strictObject(
  {
    decision: z.enum(['approve', 'deny']),
    reason: z.string().max(500).optional().meta({ description: 'For the log of the run' }),
    args_digest: z
      .string()
      .regex(/^[0-9a-f]{64}$/, 'must be the args_digest of the approval')
      .meta({ description: 'Of the event `system.approval`: the call that the person has seen' }),
  },
  { error: aboutTheCall },
);
const decisionView = z.object({
  approvalId: z.string(),
  decision: z.enum(['approve', 'deny']),
  by: z.string().nullable(),
  sequence: z.int().meta({ description: 'Of the event `system.decision`' }),
});

const approvalList = z.object({
  items: z.array(
    z.object({
      approvalId: z.string(),
      state: z.enum(APPROVAL_STATES).meta({
        description: '`expired`: also of a run that ended before a person decided',
      }),
      by: z.string().nullable().meta({
        description: 'Name of the principal that decided; null without authentication',
      }),
      tool: z.string(),
      node: z.string(),
      message: z.string(),
      risk: z.string(),
      argsDigest: z.string(),
      expiresAt: z.iso.datetime(),
      sequence: z.int().meta({ description: 'Of the event `system.approval`' }),
    }),
  ),
});

/** Decisions about changes that agents ask for. Contract section 11. */
@ApiTags('executions')
@Controller('executions/:runId/approvals')
@Requires('approvals:decide')
export class ApprovalsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly approvals: Approvals,
  ) {}

  @Get()
  @Requires('runs:read')
  @ApiOperation({ summary: 'The changes that a run proposes, and the decisions about them' })
  @Answers(approvalList)
  @Refuses('RUN_NOT_FOUND')
  async list(@Param('runId') runId: string, @Caller() caller: string) {
    const { status } = await this.executions.state(runId, caller);
    return { items: await this.approvals.list(runId, isTerminalStatus(status)) };
  }

  @Post(':approvalId')
  @ApiOperation({
    summary: 'Approve or refuse a change',
    description:
      'The first decision counts. Repeating it returns the same response. The log of the run has it when the response is sent.',
  })
  @TakesParam('runId', z.string())
  @TakesParam('approvalId', z.string())
  @Takes(decisionSchema, {
    decision: 'approve',
    reason: 'Agreed by phone',
    args_digest: 'a'.repeat(64),
  })
  @Answers(decisionView)
  @Refuses('RUN_NOT_FOUND', 'NOT_FOUND', 'APPROVAL_CLOSED')
  async decide(
    @Param() { runId, approvalId }: { runId: string; approvalId: string },
    @Body(new ZodPipe(decisionSchema)) wanted: z.infer<typeof decisionSchema>,
    @Caller() caller: string,
    @Res({ passthrough: true }) response: Response,
  ) {
    setAuditObject(response, `${wanted.decision} ${approvalId}`);
    const { head } = await this.executions.state(runId, caller);
    const { sequence, data } = await this.approvals.decide(
      { runId, head },
      approvalId,
      wanted,
      principalOf(response.req),
    );
    return { approvalId, decision: wanted.decision, by: data.by, sequence };
  }
}
