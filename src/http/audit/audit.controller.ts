import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { ConsiliumError } from '../../domain/errors.js';
import { DEFAULT_TENANT, isTenant } from '../../domain/tenant.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Requires } from '../access/requires.js';
import { Answers, TakesQuery } from '../openapi.js';
import { toSchema } from '../openapi-errors.js';
import { pageLimit } from '../page-query.js';
import { ZodPipe } from '../zod-pipe.js';
import { auditEntry } from './audit-entry.js';
import { AuditLog } from './audit-log.js';

const tenantQuery = {
  tenant: z
    .string()
    .refine(isTenant, 'must be the name of a tenant')
    .optional()
    .meta({ description: 'Default: that of the caller. Only admins of `default` name another' }),
};
const ofTenant = z.object(tenantQuery);
const pageQuery = z.object({
  ...tenantQuery,
  limit: pageLimit(200, 50),
  cursor: z
    .string()
    .regex(/^\d{1,16}-\d{1,16}$/, 'must be the nextCursor of a page')
    .optional(),
});
const page = z.object({
  items: z.array(auditEntry.extend({ id: z.string() })),
  nextCursor: z.string().nullable(),
});

/** @throws ConsiliumError FORBIDDEN */
function tenantFor(admin: Principal, wanted: string | undefined): string {
  if (wanted === undefined || wanted === admin.tenant) return admin.tenant;
  if (admin.tenant === DEFAULT_TENANT) return wanted;
  throw new ConsiliumError('FORBIDDEN', 'You may read the audit log of your own tenant only');
}

/** The audit log of a tenant. Contract section 10. */
@ApiTags('access')
@Controller('audit')
@Requires('audit:read')
export class AuditController {
  constructor(private readonly log: AuditLog) {}

  @Get()
  @ApiOperation({ summary: 'What principals have done, newest first' })
  @TakesQuery(pageQuery)
  @Answers(page)
  list(
    @Query(new ZodPipe(pageQuery)) { tenant, limit, cursor }: z.infer<typeof pageQuery>,
    @CurrentPrincipal() admin: Principal,
  ) {
    return this.log.page(tenantFor(admin, tenant), limit, cursor);
  }

  @Get('check')
  @ApiOperation({
    summary: 'Whether the entries are as they were written',
    description:
      '`brokenAt` is the first entry, from 1, that was changed, that is no entry, or that follows a gap.',
  })
  @TakesQuery(ofTenant)
  @Answers(z.object({ entries: z.int(), brokenAt: z.int().nullable() }))
  check(
    @Query(new ZodPipe(ofTenant)) { tenant }: z.infer<typeof ofTenant>,
    @CurrentPrincipal() admin: Principal,
  ) {
    return this.log.check(tenantFor(admin, tenant));
  }

  @Get('export')
  @ApiOperation({ summary: 'All entries, oldest first, one JSON object a line' })
  @TakesQuery(ofTenant)
  @ApiProduces('application/x-ndjson')
  @ApiResponse({
    status: 200,
    description: 'Lines of JSON',
    content: { 'application/x-ndjson': { schema: toSchema(auditEntry, 'output') } },
  })
  async export(
    @Query(new ZodPipe(ofTenant)) { tenant }: z.infer<typeof ofTenant>,
    @CurrentPrincipal() admin: Principal,
    @Res() response: Response,
  ): Promise<void> {
    const wanted = tenantFor(admin, tenant);
    response.type('application/x-ndjson');
    try {
      await pipeline(Readable.from(this.linesOf(wanted), { highWaterMark: 1 }), response);
    } catch (error) {
      if (!isHangUp(error)) throw error;
    }
  }

  private async *linesOf(tenant: string): AsyncGenerator<string> {
    for await (const entries of this.log.all(tenant))
      yield entries.map((entry) => (entry ? `${JSON.stringify(entry)}\n` : '')).join('');
  }
}

const isHangUp = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
