import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersPlain } from '../../http/openapi.js';
import { Requires } from '../../http/access/requires.js';

const info = z.object({ name: z.string(), version: z.string() });

const { name, version } = info.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')),
);

export { version };

/** Name and version, for chat front ends that show them. */
@ApiTags('health')
@Controller('api/system')
@Requires('status:read')
export class SystemController {
  @Get('info')
  @ApiOperation({ summary: 'Name and version of the service' })
  @AnswersPlain(info)
  info(): z.infer<typeof info> {
    return { name, version };
  }
}
