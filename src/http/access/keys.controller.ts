import { Body, Controller, Delete, Get, Param, Post, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { z } from 'zod';
import { ConsiliumError } from '../../domain/errors.js';
import { setAuditObject } from '../audit/audit-requests.js';
import { AnswersAll, onePage } from '../catalogue.js';
import { DEFAULT_TENANT, isTenant } from '../../domain/tenant.js';
import { Answers, Refuses, Takes } from '../openapi.js';
import { ZodPipe } from '../zod-pipe.js';
import { ApiKeys, type NewKey } from './api-keys.js';
import { CurrentPrincipal, type Principal } from './principal.js';
import { Requires } from './requires.js';
import { ROLES } from '../../domain/roles.js';

const NAME = /^[\w.@:+-]{1,100}$/;

const newKeySchema = z.strictObject({
  name: z.string().regex(NAME, 'must be 1 to 100 of A-Z a-z 0-9 _ . @ : + -').meta({
    description: 'The principal that the key identifies',
  }),
  role: z.enum(ROLES, `must be one of ${ROLES.join(', ')}`),
  tenant: z
    .string()
    .refine(isTenant, 'must be 1 to 64 of A-Z a-z 0-9 _ . -, a letter or digit first')
    .optional()
    .meta({ description: 'Default: that of the caller. Only admins of `default` name another' }),
  days: z.int().min(1).max(3_650).optional().meta({ description: 'Days until it expires' }),
});
type WantedKey = z.infer<typeof newKeySchema>;

const keyView = z.object({
  id: z.string(),
  tenant: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  createdAt: z.int().meta({ description: 'ms of the epoch' }),
  expiresAt: z.int().optional(),
  revokedAt: z.int().optional(),
  lastUsedAt: z.int().optional().meta({ description: 'To the minute; absent: never' }),
});
const newKeyView = keyView.extend({ key: z.string().meta({ description: 'Shown this once' }) });

/**
 * Whether an admin manages the keys of a tenant: its own, and those of all tenants for the default
 * one, which operates the service.
 */
const manages = (admin: Principal, tenant: string): boolean =>
  admin.tenant === tenant || admin.tenant === DEFAULT_TENANT;

/** API keys. Contract section 10. */
@ApiTags('access')
@Controller('keys')
@Requires('keys:manage')
export class KeysController {
  constructor(private readonly keys: ApiKeys) {}

  @Get()
  @ApiOperation({ summary: 'The API keys, without their secrets' })
  @AnswersAll(keyView.shape)
  async list(@CurrentPrincipal() admin: Principal) {
    return onePage((await this.keys.list()).filter(({ tenant }) => manages(admin, tenant)));
  }

  @Post()
  @ApiOperation({ summary: 'Make an API key' })
  @Takes(newKeySchema, { name: 'deploy-bot', role: 'trigger', days: 90 })
  @Answers(newKeyView, { status: 201 })
  async create(
    @Body(new ZodPipe(newKeySchema)) wanted: WantedKey,
    @CurrentPrincipal() admin: Principal,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { tenant = admin.tenant } = wanted;
    if (!manages(admin, tenant))
      throw new ConsiliumError('FORBIDDEN', 'You may make keys of your own tenant only');
    const made = await this.keys.create({ ...wanted, tenant } satisfies NewKey);
    setAuditObject(response, `${made.id}: ${made.role} ${made.name} of ${made.tenant}`);
    return made;
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Revoke an API key: it stops working within 5 s' })
  @Answers(keyView)
  @Refuses('NOT_FOUND')
  async revoke(@Param('id') id: string, @CurrentPrincipal() admin: Principal) {
    const found = (await this.keys.list()).find(
      (key) => key.id === id && manages(admin, key.tenant),
    );
    const revokedAt = found && (await this.keys.revoke(id));
    if (!found || revokedAt === undefined)
      throw new ConsiliumError('NOT_FOUND', 'There is no such key, or it was revoked before');
    return { ...found, revokedAt };
  }
}
