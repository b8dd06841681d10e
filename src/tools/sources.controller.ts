import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { Requires } from '../http/access/requires.js';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Sources } from '../sources/sources.js';
import { ToolRegistry } from './tool-registry.js';

const CHECK_MS = 15_000;

@ApiTags('catalogue')
@Controller('sources')
@Requires('catalogue:read')
export class SourcesController {
  constructor(
    private readonly sources: Sources,
    private readonly tools: ToolRegistry,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The sources of SOURCES_FILE, and whether each answers this process' })
  @AnswersAll({
    id: z.string(),
    kind: z.string(),
    endpoint: z.string(),
    state: z.enum(['ok', 'unreachable', 'refused', 'failed']),
    detail: z.string(),
    tools: z.array(z.object({ name: z.string(), definition: z.string() })).optional(),
  })
  async list() {
    const { egress } = this.tools;
    return onePage(await this.sources.check(egress, AbortSignal.timeout(CHECK_MS)));
  }
}
