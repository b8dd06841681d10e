import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Metrics } from './metrics.js';
import { Requires } from '../../http/access/requires.js';

/** Outside the base path, for Prometheus. */
@ApiTags('health')
@Controller('metrics')
@Requires('metrics:read')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @ApiOperation({
    summary: 'Metrics of this process and of the queues, in the text format of Prometheus',
  })
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, content: { 'text/plain': { schema: { type: 'string' } } } })
  async scrape(@Res() response: Response): Promise<void> {
    const { text, contentType } = await this.metrics.scrape();
    response.setHeader('Content-Type', contentType).send(text);
  }
}
