import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';
import { BreakerStates } from './breaker-states.js';
import { RedisFigures } from './redis-figures.js';
import { StoreFigures } from './store-figures.js';
import { RunOutcomes } from './run-outcomes.js';

/** What the service counts. Needs the global modules of telemetry, the log and the queues. */
@Module({ providers: [RunOutcomes], exports: [RunOutcomes] })
export class RunOutcomesModule {}

@Module({
  controllers: [MetricsController],
  providers: [Metrics, StoreFigures, RedisFigures, BreakerStates],
})
export class MetricsModule {}
