import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { CurrentPrincipal, type Principal } from '../../http/access/principal.js';
import { Requires } from '../../http/access/requires.js';
import { OPENS_WITHIN_SECONDS, StreamTickets } from '../../http/access/stream-tickets.js';
import { setAuditObject } from '../../http/audit/audit-requests.js';
import { Caller } from '../../http/caller.js';
import { Answers, Refuses, Takes } from '../../http/openapi.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { ExecutionsService } from './executions.service.js';

const wantedSchema = z.object({ runId: z.string().min(1).max(100) });
const ticketView = z.object({
  ticket: z.string().meta({ description: 'For `?ticket=` of the events of this run' }),
  opensWithinSeconds: z.int(),
});

/** Tickets for `EventSource`, which cannot send headers. Contract section 10. */
@ApiTags('access')
@Controller('stream-tickets')
@Requires('self')
export class StreamTicketsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly tickets: StreamTickets,
  ) {}

  @Post()
  @ApiOperation({ summary: 'A ticket for the events of one run' })
  @Takes(wantedSchema, { runId: '01960d3c-5f2a-7cc0-8000-0123456789ab' })
  @Answers(ticketView, { status: 201 })
  @Refuses('RUN_NOT_FOUND')
  async issue(
    @Body(new ZodPipe(wantedSchema)) { runId }: z.infer<typeof wantedSchema>,
    @Caller() caller: string,
    @CurrentPrincipal() principal: Principal,
    @Res({ passthrough: true }) response: Response,
  ) {
    setAuditObject(response, runId);
    await this.executions.state(runId, caller);
    const ticket = await this.tickets.issue(runId, principal);
    return { ticket, opensWithinSeconds: OPENS_WITHIN_SECONDS };
  }
}
