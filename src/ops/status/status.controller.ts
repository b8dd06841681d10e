import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Answers } from '../../http/openapi.js';
import { Clock } from '../../lib/clock.js';
import { serviceStatus, ServiceStatus } from './service-status.js';
import { Requires } from '../../http/access/requires.js';

/** For operators. */
@ApiTags('health')
@Controller('status')
@Requires('status:read')
export class StatusController {
  constructor(
    private readonly status: ServiceStatus,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Processes, queues and models of the whole service',
    description:
      'Each process with its role, version and load; the limiter and the breaker of each model; the oldest waiting job.',
  })
  @Answers(serviceStatus)
  show() {
    return this.status.read(this.clock.now());
  }
}
