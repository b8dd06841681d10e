import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { mayDo } from '../domain/roles.js';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { Requires } from '../http/access/requires.js';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { withApprovals } from '../sources/mcp/approved-tools.js';
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
    endpoint: z.string().optional().describe('Where it is; left out below the role `operator`.'),
    state: z.enum(['ok', 'unreachable', 'refused', 'failed']),
    detail: z.string().optional().describe('What it answered; left out below the role `operator`.'),
    tools: z
      .array(
        z.object({
          name: z.string(),
          definition: z.string(),
          description: z.string(),
          arguments: z.array(z.string()),
        }),
      )
      .optional(),
  })
  async list(@CurrentPrincipal() { role }: Principal) {
    const { egress } = this.tools;
    const states = await this.sources.check(egress, AbortSignal.timeout(CHECK_MS));
    const all = withApprovals(states, this.tools.all);
    if (mayDo(role, 'topologies:endpoints')) return onePage(all);
    return onePage(all.map(({ endpoint: _, detail: _answer, ...shown }) => shown));
  }
}
