import { Body, Controller, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { Answers, Refuses, Takes } from '../http/openapi.js';
import { ZodPipe } from '../http/zod-pipe.js';
import {
  agentHierarchy,
  graphOf,
  hierarchyOf,
  topologyGraph,
  topologyQueryPage,
} from './front-end-views.js';
import { Topologies } from './topologies.js';
import { Requires } from '../http/access/requires.js';

const ID_MESSAGE = 'must be a positive integer';
const SIZE_MESSAGE = 'must be an integer from 1 to 200';
const byId = z.object({ topologyId: z.int(ID_MESSAGE).min(1, ID_MESSAGE) });
const byPage = z.object({
  page: z.int(ID_MESSAGE).min(1, ID_MESSAGE).default(1),
  size: z.int(SIZE_MESSAGE).min(1, SIZE_MESSAGE).max(200, SIZE_MESSAGE).default(20),
  name: z.string('must be a text').max(200).nullish(),
});

/** Queries of consoles that use POST (docs/front-ends.md). */
@ApiTags('topologies')
@Controller()
@Requires('topologies:read')
export class FrontEndQueriesController {
  constructor(private readonly topologies: Topologies) {}

  @Post('topologies/query')
  @ApiOperation({ summary: 'A page of topologies, optionally filtered by name' })
  @Takes(byPage, { page: 1, size: 20, name: 'shop' })
  @Answers(topologyQueryPage)
  query(
    @Body(new ZodPipe(byPage)) query: z.infer<typeof byPage>,
    @CurrentPrincipal() { tenant }: Principal,
  ) {
    return this.topologies.query(tenant, query);
  }

  @Post('topologies/graph/query')
  @ApiOperation({ summary: 'Nodes of a topology and their dependencies' })
  @Takes(byId, { topologyId: 1 })
  @Answers(topologyGraph)
  @Refuses('TOPOLOGY_NOT_FOUND')
  async graph(
    @Body(new ZodPipe(byId)) { topologyId }: z.infer<typeof byId>,
    @CurrentPrincipal() { tenant }: Principal,
  ) {
    return graphOf((await this.topologies.get(tenant, topologyId)).topology);
  }

  @Post('agent-bounds/query-hierarchy')
  @ApiOperation({ summary: 'Agents of a topology' })
  @Takes(byId, { topologyId: 1 })
  @Answers(agentHierarchy)
  @Refuses('TOPOLOGY_NOT_FOUND')
  async hierarchy(
    @Body(new ZodPipe(byId)) { topologyId }: z.infer<typeof byId>,
    @CurrentPrincipal() { tenant }: Principal,
  ) {
    return hierarchyOf((await this.topologies.get(tenant, topologyId)).topology);
  }
}
