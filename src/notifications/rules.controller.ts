import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Rules } from './rules.js';
import { Requires } from '../http/access/requires.js';

@ApiTags('catalogue')
@Controller('rules')
@Requires('catalogue:read')
export class RulesController {
  constructor(private readonly rules: Rules) {}

  @Get()
  @ApiOperation({
    summary: 'The rules that are evaluated for agents',
    description: 'Shipped, or from RULES_DIR (`user`).',
  })
  @AnswersAll({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    expression: z.string(),
    action: z.looseObject({ type: z.string() }),
    origin: z.string(),
  })
  list() {
    return onePage(
      this.rules.loaded.map(({ value: { rule, condition, action }, origin, file }) => ({
        ...rule,
        expression: condition.expression,
        action,
        origin,
        file,
      })),
    );
  }
}
