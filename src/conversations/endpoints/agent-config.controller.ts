import { Body, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Caller } from '../../http/caller.js';
import { AnswersPlain, Takes } from '../../http/openapi.js';
import { ZodPipe } from '../../http/zod-pipe.js';
import { AgentConfig, agentLimits } from '../agent-config.js';
import { Requires } from '../../http/access/requires.js';

/**
 * Names and bounds are checked where the limits are set, so that every fault is reported with its
 * name.
 */
const someLimits = z.record(z.string(), z.unknown());

/** The limits of the caller's chat turns. Contract section 8. */
@ApiTags('conversations')
@Controller('api/settings/agent-config')
@Requires('chat')
export class AgentConfigController {
  constructor(private readonly settings: AgentConfig) {}

  @Get()
  @ApiOperation({ summary: "The limits of the caller's chat turns" })
  @AnswersPlain(agentLimits)
  show(@Caller() caller: string) {
    return this.settings.show(caller);
  }

  @Put()
  @ApiOperation({ summary: 'Set some of them' })
  @Takes(agentLimits.partial(), { max_iterations: 10, timeout_seconds: 60 })
  @AnswersPlain(agentLimits, 'All of them, as they are now')
  set(@Body(new ZodPipe(someLimits)) limits: z.infer<typeof someLimits>, @Caller() caller: string) {
    return this.settings.set(caller, limits);
  }

  @Post('reset')
  @ApiOperation({ summary: 'Back to the defaults' })
  @AnswersPlain(agentLimits, 'All of them, as they are now')
  reset(@Caller() caller: string) {
    return this.settings.reset(caller);
  }
}
