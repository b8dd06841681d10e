import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Answers, Refuses } from '../http/openapi.js';
import { ConsiliumError } from '../domain/errors.js';
import { ConnectionLimiter } from './limits/connection-limiter.js';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { DEFAULT_TENANT } from '../domain/tenant.js';
import { Requires } from '../http/access/requires.js';

/**
 * Targets of all tenants: only the default tenant, which operates the service, sees and lifts them.
 */
const operates = (tenant: string): boolean => tenant === DEFAULT_TENANT;

@ApiTags('catalogue')
@Controller('tools/quarantine')
@Requires('catalogue:read')
export class QuarantineController {
  constructor(private readonly limiter: ConnectionLimiter) {}

  @Get()
  @ApiOperation({ summary: 'Targets that are no longer probed: probing them has ended processes' })
  @AnswersAll({ target: z.string() })
  async list(@CurrentPrincipal() { tenant }: Principal) {
    return onePage(operates(tenant) ? await this.limiter.quarantined() : []);
  }

  @Delete(':target')
  @Requires('quarantine:lift')
  @ApiOperation({ summary: 'Lets a target (`host:port`) be probed again' })
  @Answers(z.object({ target: z.string() }))
  @Refuses('NOT_FOUND')
  async lift(@Param('target') target: string, @CurrentPrincipal() { tenant }: Principal) {
    if (operates(tenant) && (await this.limiter.lift(target))) return { target };
    throw new ConsiliumError('NOT_FOUND', `${target.slice(0, 300)} is not quarantined`);
  }
}
