import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { LIMIT_BOUNDS, LIMIT_NAMES } from '../../domain/limits/limit-bounds.js';
import { AnswersAll, onePage } from '../../http/catalogue.js';
import { Requires } from '../../http/access/requires.js';

/** Contract section 4, as data. */
@ApiTags('catalogue')
@Controller('limits')
@Requires('catalogue:read')
export class LimitsController {
  @Get()
  @ApiOperation({
    summary: 'The limits of runs, with their bounds and defaults',
    description:
      '`name` is that of a trigger or a topology; `/api/settings/agent-config` has the same names in snake_case.',
  })
  @AnswersAll({
    name: z.enum(LIMIT_NAMES as [string]),
    minimum: z.int(),
    maximum: z.int(),
    defaults: z.object({ diagnosis: z.int(), chat: z.int() }),
  })
  list() {
    return onePage(
      LIMIT_NAMES.map((name) => {
        const [chat, diagnosis, minimum, maximum] = LIMIT_BOUNDS[name];
        return { name, minimum, maximum, defaults: { diagnosis, chat } };
      }),
    );
  }
}
