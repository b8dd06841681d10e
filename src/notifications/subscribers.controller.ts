import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { Subscribers } from './subscribers.js';

@ApiTags('catalogue')
@Controller('subscribers')
export class SubscribersController {
  constructor(private readonly subscribers: Subscribers) {}

  @Get()
  @ApiOperation({
    summary: 'Which events are put to the models of agents, when and how',
    description: 'Shipped, or of SUBSCRIBERS_DIR (`user`).',
  })
  list() {
    return success({
      items: this.subscribers.loaded.map(
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
      nextCursor: null,
    });
  }
}
