import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { Models } from './models.js';

@ApiTags('catalogue')
@Controller('models')
export class ModelsController {
  constructor(private readonly models: Models) {}

  @Get()
  @ApiOperation({ summary: 'The models that agents may be bound to' })
  list() {
    return success({
      items: this.models.list().map(({ name, description, contextWindow }) => ({ name, description, contextWindow })),
      nextCursor: null,
    });
  }
}
