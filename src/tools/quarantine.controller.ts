import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { ConsiliumError } from '../domain/errors.js';
import { ConnectionLimiter } from './limits/connection-limiter.js';

@ApiTags('catalogue')
@Controller('tools/quarantine')
export class QuarantineController {
  constructor(private readonly limiter: ConnectionLimiter) {}

  @Get()
  @ApiOperation({ summary: 'Targets that are no longer probed: probing them has ended processes' })
  async list() {
    return success({ items: await this.limiter.quarantined(), nextCursor: null });
  }

  @Delete(':target')
  @ApiOperation({ summary: 'Lets a target (`host:port`) be probed again' })
  async lift(@Param('target') target: string) {
    if (await this.limiter.lift(target)) return success({ target });
    throw new ConsiliumError('NOT_FOUND', `${target.slice(0, 300)} is not quarantined`);
  }
}
