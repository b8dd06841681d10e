import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { Behaviours } from './behaviours.js';

@ApiTags('catalogue')
@Controller('behaviours')
export class BehavioursController {
  constructor(private readonly behaviours: Behaviours) {}

  @Get()
  @ApiOperation({
    summary: 'The behaviours that agents may be given, as text',
    description: 'Shipped, or of BEHAVIOURS_DIR (`user`).',
  })
  list() {
    return success({
      items: this.behaviours
        .list()
        .map(({ name, description, origin, source }) => ({ name, description, origin, source })),
      nextCursor: null,
    });
  }
}
