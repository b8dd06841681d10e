import { Controller, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConsiliumError } from '../domain/errors.js';
import { isShownTo } from '../domain/run.js';
import { LogPort } from '../event-log/log-port.js';
import { Requires } from '../http/access/requires.js';
import { Caller } from '../http/caller.js';
import { Answers, Refuses } from '../http/openapi.js';
import { AlertStore } from './alert-store.js';
import { runAlerts } from './alert-views.js';

/** The alerts of a run, including those that resolved after it ended. */
@ApiTags('alerts')
@Controller('executions')
@Requires('runs:read')
export class RunAlertsController {
  constructor(
    private readonly log: LogPort,
    private readonly store: AlertStore,
  ) {}

  @Get(':runId/alerts')
  @ApiOperation({ summary: 'The alerts that started or joined a run, in their last state' })
  @Answers(runAlerts)
  @Refuses('RUN_NOT_FOUND')
  async list(@Param('runId') runId: string, @Caller() caller: string) {
    const state = await this.log.state(runId);
    if (state?.head.kind !== 'diagnosis' || !isShownTo(caller, state.head))
      throw new ConsiliumError('RUN_NOT_FOUND', `There is no run ${runId.slice(0, 100)}`);
    return { items: [...(await this.store.alertsOf(runId)).values()] };
  }
}
