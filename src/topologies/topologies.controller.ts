import { Body, Controller, Delete, Get, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Answers, Refuses, TakesParam, TakesQuery } from '../http/openapi.js';
import { ZodPipe } from '../http/zod-pipe.js';
import { DocumentPipe, type TopologyDocument } from './document-pipe.js';
import { locationOf, showTopology, type StoredTopology } from './stored-topology.js';
import { Topologies } from './topologies.js';
import { TakesTopology } from './topologies.openapi.js';
import { listQuerySchema, topologyIdSchema, type ListQuery } from './topology-query.js';
import { removedTopology, topologyPage, topologyView, writtenTopology } from './topology-views.js';

const ID = new ZodPipe(topologyIdSchema);

/** Topologies over HTTP (contract sections 3 and 9). */
@ApiTags('topologies')
@Controller('topologies')
export class TopologiesController {
  constructor(private readonly topologies: Topologies) {}

  @Get()
  @ApiOperation({ summary: 'List topologies', description: 'A page by ascending id.' })
  @TakesQuery(listQuerySchema)
  @Answers(topologyPage)
  list(@Query(new ZodPipe(listQuerySchema)) query: ListQuery) {
    return this.topologies.list(query);
  }

  @Post()
  @ApiOperation({
    summary: 'Create a topology',
    description:
      'Missing agents are derived. An invalid topology is refused with the path of every fault. `warnings` names what is allowed but looks like a mistake, such as a misspelt attribute.',
  })
  @TakesTopology()
  @Answers(writtenTopology, {
    status: 201,
    description: 'The topology as stored, with its version and its `Location`',
    message: 'Topology created',
  })
  @Refuses('TOPOLOGY_EXISTS')
  async create(
    @Body(new DocumentPipe()) document: TopologyDocument,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const stored = await this.topologies.create(document.value);
    response.location(locationOf(request.originalUrl, stored));
    return this.written(stored);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show a topology',
    description: 'With the agents derived, and with passwords in URLs redacted.',
  })
  @TakesParam('id', topologyIdSchema)
  @Answers(topologyView)
  @Refuses('VALIDATION_FAILED', 'TOPOLOGY_NOT_FOUND')
  async show(@Param('id', ID) id: number) {
    return showTopology(await this.topologies.get(id));
  }

  @Put(':id')
  @ApiOperation({
    summary: 'Replace a topology',
    description:
      'A full replacement with a new version. Runs keep the version they started with. A redacted URL keeps its stored password, and `version`, `createdAt` and `updatedAt` are ignored, so that the result of a GET can be edited and sent back. The body may omit `id`.',
  })
  @TakesParam('id', topologyIdSchema)
  @TakesTopology()
  @Answers(writtenTopology, { message: 'Topology replaced' })
  @Refuses('TOPOLOGY_NOT_FOUND')
  async replace(@Param('id', ID) id: number, @Body(new DocumentPipe()) document: TopologyDocument) {
    return this.written(await this.topologies.replace(id, document.value));
  }

  @Delete(':id')
  @ApiOperation({
    summary: 'Delete a topology',
    description: 'Runs that started with it continue.',
  })
  @TakesParam('id', topologyIdSchema)
  @Answers(removedTopology, { message: 'Topology deleted' })
  @Refuses('VALIDATION_FAILED', 'TOPOLOGY_NOT_FOUND')
  remove(@Param('id', ID) id: number) {
    return this.topologies.remove(id);
  }

  private written(stored: StoredTopology) {
    const warnings = this.topologies.warnings(stored.topology);
    return { ...showTopology(stored), ...(warnings.length > 0 && { warnings }) };
  }
}
