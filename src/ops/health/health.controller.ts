import { Controller, Get, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { HealthCheck, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { RedisHealth } from './redis-health.js';

/** Outside of the base path: for load balancers and orchestrators. */
@ApiTags('health')
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly redis: RedisHealth,
  ) {}

  @Get(['', 'ready'])
  @HealthCheck()
  @ApiOperation({ summary: 'Whether requests can be served: 503 while Redis is away' })
  ready() {
    return this.health.check([() => this.redis.check(this.indicators.check('redis'))]);
  }

  @Get('live')
  @ApiOperation({ summary: 'Whether the process is alive' })
  live() {
    return { status: 'ok' };
  }
}
