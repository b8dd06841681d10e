import { Global, Module } from '@nestjs/common';
import { LOG_OBSERVER } from '../../domain/events/log-observer.js';
import { Instruments } from './instruments.js';
import { LogMetrics } from './log-metrics.js';

/** The metrics and loggers that every part of the service uses. */
@Global()
@Module({
  providers: [Instruments, LogMetrics, { provide: LOG_OBSERVER, useExisting: LogMetrics }],
  exports: [Instruments, LOG_OBSERVER],
})
export class TelemetryModule {}
