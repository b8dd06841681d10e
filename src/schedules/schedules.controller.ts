import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { Requires } from '../http/access/requires.js';
import { Answers } from '../http/openapi.js';
import { LastRuns } from './scheduled-runs.js';
import { Scheduler } from './scheduler.js';
import { SCHEDULES_FILE } from './schedules-file-token.js';
import type { SchedulesFile } from './schedules-file.js';

const scheduleList = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      topologyId: z.int(),
      cron: z.string(),
      timezone: z.string(),
      nextAt: z.iso.datetime().nullable(),
      lastRunId: z.string().nullable(),
    }),
  ),
});

/** The schedules of SCHEDULES_FILE. */
@ApiTags('schedules')
@Controller('schedules')
@Requires('runs:read')
export class SchedulesController {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly last: LastRuns,
    @Inject(SCHEDULES_FILE) private readonly file: SchedulesFile,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Scheduled diagnoses, with the time of the next and the last run' })
  @Answers(scheduleList)
  async list(@CurrentPrincipal() { tenant }: Principal) {
    const next = await this.scheduler.next();
    const own = this.file.schedules.filter((each) => each.tenant === tenant);
    const items = own.map(async ({ id, topology, cron, timezone }) => {
      const at = next.get(id);
      return {
        id,
        topologyId: topology,
        cron,
        timezone,
        nextAt: at === undefined ? null : new Date(at).toISOString(),
        lastRunId: (await this.last.of(id)).last ?? null,
      };
    });
    return { items: await Promise.all(items) };
  }
}
