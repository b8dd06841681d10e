import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.js';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { BullmqReportQueue } from './bullmq-report-queue.js';
import { GoneDestinations } from './gone-destinations.js';
import { ReportOutbox } from './report-outbox.js';
import { ReportQueue } from './report-queue.js';
import { ReportSender } from './report-sender.js';
import { ReportSettings } from './report-settings.js';
import { ReportsController } from './reports.controller.js';
import { REPORTS_FILE } from './reports-file-token.js';
import { readReportsFile } from './reports-file.js';

/**
 * Reports of runs to chats and webhooks. In every process: each may close a run; those that run
 * agents send.
 */
@Module({
  providers: [
    GoneDestinations,
    ReportOutbox,
    ReportSender,
    ReportSettings,
    { provide: ReportQueue, useClass: BullmqReportQueue },
    {
      provide: REPORTS_FILE,
      inject: [CONFIG],
      useFactory: ({ reportsFile }: Config) => readReportsFile(reportsFile),
    },
  ],
  exports: [ReportOutbox, ReportSettings],
})
export class ReportsModule {}

/** The endpoints of reports. */
@Module({ imports: [ReportsModule, AlertsModule], controllers: [ReportsController] })
export class ReportsApiModule {}
