import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { HealthController } from './health.controller.js';
import { SystemController } from '../system/system.controller.js';
import { RedisHealth } from './redis-health.js';

@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [HealthController, SystemController],
  providers: [RedisHealth],
})
export class HealthModule {}
