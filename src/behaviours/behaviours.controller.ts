import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Behaviours } from './behaviours.js';
import { Requires } from '../http/access/requires.js';

@ApiTags('catalogue')
@Controller('behaviours')
@Requires('catalogue:read')
export class BehavioursController {
  constructor(private readonly behaviours: Behaviours) {}

  @Get()
  @ApiOperation({
    summary: 'The behaviour trees that agents may use, as text',
    description: 'Shipped, or from BEHAVIOURS_DIR (`user`).',
  })
  @AnswersAll({
    name: z.string(),
    description: z.string(),
    origin: z.string(),
    source: z.string(),
  })
  list() {
    return onePage(
      this.behaviours
        .list()
        .map(({ name, description, origin, source }) => ({ name, description, origin, source })),
    );
  }
}
