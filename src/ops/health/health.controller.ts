import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { z } from 'zod';
import { AnswersPlain, Refuses } from '../../http/openapi.js';
import { RedisHealth } from './redis-health.js';
import { Public } from '../../http/access/requires.js';

const details = z.record(z.string(), z.looseObject({ status: z.string() }));
const readiness = z.looseObject({ status: z.literal('ok'), info: details, details });
const liveness = z.object({ status: z.literal('ok') });

/** Outside the base path, for load balancers and orchestrators. */
@ApiTags('health')
@Controller({ path: 'health', version: VERSION_NEUTRAL })
@Public()
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly redis: RedisHealth,
  ) {}

  @Get(['', 'ready'])
  @HealthCheck({ swaggerDocumentation: false })
  @ApiOperation({ summary: 'Whether requests can be served: 503 while Redis is unavailable' })
  @AnswersPlain(readiness)
  @Refuses('UNAVAILABLE')
  ready() {
    return this.health.check([() => this.redis.check(this.indicators.check('redis'))]);
  }

  @Get('live')
  @ApiOperation({ summary: 'Whether the process is alive' })
  @AnswersPlain(liveness)
  live() {
    return { status: 'ok' };
  }
}
