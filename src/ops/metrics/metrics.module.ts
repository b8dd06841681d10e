import { Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

@Module({ controllers: [MetricsController], providers: [Metrics] })
export class MetricsModule {}
