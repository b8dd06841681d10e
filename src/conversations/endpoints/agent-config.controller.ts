import { Body, Controller, Get, HttpCode, Post, Put, Req } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { callerOf } from '../../http/caller.js';
import { TakesJson } from './chat.openapi.js';
import { AgentConfig } from '../agent-config.js';

/** The limits of the caller's chat turns: seed 000. */
@ApiTags('conversations')
@Controller('api/settings/agent-config')
export class AgentConfigController {
  constructor(private readonly settings: AgentConfig) {}

  @Get()
  @ApiOperation({ summary: "The limits of the caller's chat turns" })
  @ApiResponse({ status: 200, description: '`{max_iterations, token_budget, timeout_seconds, …}`' })
  show(@Req() request: Request) {
    return this.settings.show(callerOf(request));
  }

  @Put()
  @ApiOperation({ summary: 'Set some of them' })
  @ApiResponse({ status: 200, description: 'All of them, as they are now' })
  @TakesJson()
  set(@Body() body: unknown, @Req() request: Request) {
    return this.settings.set(callerOf(request), body);
  }

  @Post('reset')
  @HttpCode(200)
  @ApiOperation({ summary: 'Back to the defaults' })
  @ApiResponse({ status: 200, description: 'All of them, as they are now' })
  reset(@Req() request: Request) {
    return this.settings.reset(callerOf(request));
  }
}
