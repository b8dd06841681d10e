import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { Rules } from './rules.js';

@ApiTags('catalogue')
@Controller('rules')
export class RulesController {
  constructor(private readonly rules: Rules) {}

  @Get()
  @ApiOperation({
    summary: 'The rules that agents are accompanied by',
    description: 'Shipped, or of RULES_DIR (`user`).',
  })
  list() {
    return success({
      items: this.rules.loaded.map(({ value: { rule, condition, action }, origin, file }) => ({
        ...rule,
        expression: condition.expression,
        action,
        origin,
        file,
      })),
      nextCursor: null,
    });
  }
}
