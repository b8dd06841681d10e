import { Module } from '@nestjs/common';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { TopologiesModule } from '../topologies/topologies.module.js';
import { AlertIntake } from './alert-intake.js';
import { AlertRuns } from './alert-runs.js';
import { AlertStore } from './alert-store.js';
import { AlertsController } from './alerts.controller.js';
import { ALERTS_FILE } from './alerts-file-token.js';
import { readAlertsFile } from './alerts-file.js';
import { Deliveries } from './deliveries.js';
import { RedisAlertStore } from './redis-alert-store.js';
import { RunAlertsController } from './run-alerts.controller.js';
import { TopologySelectors } from './topology-selectors.js';

/**
 * Alerts of monitoring systems that start diagnoses. Needs the global modules of runs, Redis and
 * access.
 */
@Module({
  imports: [TopologiesModule],
  controllers: [AlertsController, RunAlertsController],
  providers: [
    AlertIntake,
    AlertRuns,
    Deliveries,
    TopologySelectors,
    { provide: AlertStore, useClass: RedisAlertStore },
    {
      provide: ALERTS_FILE,
      inject: [CONFIG],
      useFactory: ({ alertsFile }: Config) => readAlertsFile(alertsFile),
    },
  ],
  exports: [AlertStore],
})
export class AlertsModule {}
