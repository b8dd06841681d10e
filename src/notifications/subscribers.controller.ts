import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Subscribers } from './subscribers.js';
import { Requires } from '../http/access/requires.js';

@ApiTags('catalogue')
@Controller('subscribers')
@Requires('catalogue:read')
export class SubscribersController {
  constructor(private readonly subscribers: Subscribers) {}

  @Get()
  @ApiOperation({
    summary: 'Subscribers: which events become notices for the models of agents, and when',
    description: 'Shipped, or from SUBSCRIBERS_DIR (`user`).',
  })
  @AnswersAll({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    types: z.array(z.string()),
    origin: z.string(),
  })
  list() {
    return onePage(
      this.subscribers.loaded.map(
        ({ value: { subscriber, events, batching, output }, origin, file }) => ({
          ...subscriber,
          ...output,
          types: events.types,
          severityFilter: events.severity_filter,
          sources: events.sources,
          batching,
          origin,
          file,
        }),
      ),
    );
  }
}
