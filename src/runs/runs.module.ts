import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { Approvals } from './approvals.js';
import { JobRepair } from './job-repair.js';
import { Idempotency } from './idempotency.js';
import { DeferredNotices } from './deferred-notices.js';
import { CutReports } from './cut-reports.js';
import { RunAdmission } from './run-admission.js';
import { RunCloser } from './run-closer.js';
import { RunControl } from './run-control.js';
import {
  RUN_CLOSING,
  RUN_LIFECYCLE,
  type RunClosing,
  type RunLifecycle,
} from '../event-log/run-lifecycle.js';
import { RunOrder } from './run-order.js';
import { RunJobs } from './run-jobs.js';
import { RunRepair } from './run-repair.js';
import { RunStarter } from './run-starter.js';
import { Sweeper } from './sweeper.js';

@Module({})
export class RunsModule {
  /**
   * @param imports the modules that export the handlers
   * @param closing handlers for the end of runs; those of `handlers` may end runs themselves
   */
  static with(
    imports: readonly Type[],
    handlers: readonly Type<RunLifecycle>[],
    closing: readonly Type<RunClosing>[],
  ): DynamicModule {
    const closers = {
      provide: RUN_CLOSING,
      inject: [RunOrder, RunAdmission, ...closing],
      useFactory: (...all: RunClosing[]) => all,
    };
    const lifecycle = {
      provide: RUN_LIFECYCLE,
      inject: [...handlers],
      useFactory: (...all: RunLifecycle[]) => all,
    };
    return {
      module: RunsModule,
      global: true,
      imports: [...imports],
      providers: [
        Approvals,
        CutReports,
        RunAdmission,
        RunControl,
        RunJobs,
        RunOrder,
        RunStarter,
        Idempotency,
        DeferredNotices,
        JobRepair,
        RunRepair,
        Sweeper,
        RunCloser,
        lifecycle,
        closers,
      ],
      exports: [
        Approvals,
        RunAdmission,
        RunControl,
        RunStarter,
        Idempotency,
        DeferredNotices,
        RUN_LIFECYCLE,
      ],
    };
  }
}
