import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
} from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { success } from '../domain/envelope.js';
import { showTopology } from './stored-topology.js';
import { Topologies } from './topologies.js';
import {
  CREATED,
  EXISTS,
  FOUND,
  INVALID,
  LISTED,
  NOT_FOUND,
  REMOVED,
  TOPOLOGY_BODY,
} from './topologies.openapi.js';
import { parseListQuery, parseTopologyId, toCursor } from './topology-query.js';
import { TopologyStore } from './topology-store.js';

const ID = { name: 'id', schema: { type: 'integer', minimum: 1 } } as const;

/** Contract sections 3 and 9. */
@ApiTags('topologies')
@Controller('topologies')
export class TopologiesController {
  constructor(
    private readonly topologies: Topologies,
    private readonly store: TopologyStore,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List topologies', description: 'A page by ascending id.' })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  })
  @ApiQuery({
    name: 'cursor',
    required: false,
    schema: { type: 'string' },
    description: '`nextCursor` of the page before',
  })
  @ApiResponse(LISTED)
  @ApiResponse(INVALID)
  async list(@Query() query: Record<string, unknown>) {
    const { after, limit } = parseListQuery(query);
    const { items, next } = await this.store.list(after, limit);
    return success({ items, nextCursor: next === null ? null : toCursor(next) });
  }

  @Post()
  @HttpCode(201)
  @ApiOperation({
    summary: 'Create a topology',
    description:
      'Agents that are left out are derived. A wrong topology is refused with the path of every fault in it.',
  })
  @ApiBody(TOPOLOGY_BODY)
  @ApiResponse(CREATED)
  @ApiResponse(INVALID)
  @ApiResponse(EXISTS)
  async create(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const stored = await this.topologies.create(body);
    response.location(`${request.originalUrl.replace(/\/*(?:\?.*)?$/s, '')}/${stored.topology.id}`);
    return success(showTopology(stored), 'Topology created');
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show a topology',
    description: 'With the agents derived, and with passwords in URLs redacted.',
  })
  @ApiParam(ID)
  @ApiResponse(FOUND)
  @ApiResponse(INVALID)
  @ApiResponse(NOT_FOUND)
  async show(@Param('id') id: string) {
    return success(showTopology(await this.topologies.get(parseTopologyId(id))));
  }

  @Put(':id')
  @ApiOperation({
    summary: 'Replace a topology',
    description:
      'A full replacement with a new version; runs keep the version they started with. A URL sent back redacted keeps its password, and `version`, `createdAt` and `updatedAt` are ignored, so what a GET gave may be edited and put back.',
  })
  @ApiParam(ID)
  @ApiBody(TOPOLOGY_BODY)
  @ApiResponse(FOUND)
  @ApiResponse(INVALID)
  @ApiResponse(NOT_FOUND)
  async replace(@Param('id') id: string, @Body() body: unknown) {
    return success(
      showTopology(await this.topologies.replace(parseTopologyId(id), body)),
      'Topology replaced',
    );
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete a topology', description: 'Runs that started with it go on.' })
  @ApiParam(ID)
  @ApiResponse(REMOVED)
  @ApiResponse(INVALID)
  @ApiResponse(NOT_FOUND)
  async remove(@Param('id') text: string) {
    const id = parseTopologyId(text);
    await this.topologies.remove(id);
    return success({ id }, 'Topology deleted');
  }
}
