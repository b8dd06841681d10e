import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { TopologiesModule } from '../topologies/topologies.module.js';
import { LastRuns, ScheduledRuns } from './scheduled-runs.js';
import { Scheduler } from './scheduler.js';
import { SchedulesController } from './schedules.controller.js';
import { SCHEDULES_FILE } from './schedules-file-token.js';
import { readSchedulesFile } from './schedules-file.js';

/** Runs diagnoses on a schedule. Needs the global modules of runs and Redis. */
@Module({
  imports: [TopologiesModule],
  controllers: [SchedulesController],
  providers: [
    LastRuns,
    ScheduledRuns,
    Scheduler,
    {
      provide: SCHEDULES_FILE,
      inject: [CONFIG],
      useFactory: ({ schedulesFile }: Config) => readSchedulesFile(schedulesFile),
    },
  ],
})
export class SchedulesModule {}
