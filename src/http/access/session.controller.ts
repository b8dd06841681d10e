import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { success } from '../../domain/envelope.js';
import { Answers } from '../openapi.js';
import { CurrentPrincipal, type Principal } from './principal.js';
import { Requires } from './requires.js';
import { COOKIE_OPTIONS, SESSION_COOKIE, sessionOf, Sessions } from './sessions.js';
import { ROLES } from '../../domain/roles.js';

const principalView = z.object({ tenant: z.string(), principal: z.string(), role: z.enum(ROLES) });

const view = ({ tenant, name, role }: Principal) => ({ tenant, principal: name, role });

/** Sessions of browsers. Contract section 10. */
@ApiTags('access')
@Controller('auth/session')
@Requires('self')
export class SessionController {
  constructor(private readonly sessions: Sessions) {}

  @Post()
  @HttpCode(200)
  @ApiOperation({ summary: 'Exchange a credential for a session cookie' })
  @Answers(principalView)
  async start(@CurrentPrincipal() principal: Principal, @Res() response: Response): Promise<void> {
    const { token, maxAge } = await this.sessions.start(principal);
    response.cookie(SESSION_COOKIE, token, { ...COOKIE_OPTIONS, maxAge });
    response.json(success(view(principal)));
  }

  @Get()
  @ApiOperation({ summary: 'The principal of the credential' })
  @Answers(principalView)
  show(@CurrentPrincipal() principal: Principal) {
    return view(principal);
  }

  @Delete()
  @ApiOperation({ summary: 'End the session' })
  @Answers(z.null())
  async end(@Req() request: Request, @Res() response: Response): Promise<void> {
    const token = sessionOf(request);
    if (token !== undefined) await this.sessions.end(token);
    response.clearCookie(SESSION_COOKIE, COOKIE_OPTIONS);
    response.json(success(null));
  }
}
