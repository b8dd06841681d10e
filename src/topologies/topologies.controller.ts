import { Controller, Delete, Get, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { Topology } from '../domain/topology/topology.js';
import { mayDo } from '../domain/roles.js';
import { setAuditObject } from '../http/audit/audit-requests.js';
import { CurrentPrincipal, type Principal } from '../http/access/principal.js';
import { onePage } from '../http/catalogue.js';
import { Answers, Refuses, Revalidated, TakesParam, TakesQuery } from '../http/openapi.js';
import { describeHeader } from '../http/openapi-errors.js';
import { ZodPipe } from '../http/zod-pipe.js';
import { SentTopology, type TopologyDocument } from './document-pipe.js';
import {
  locationOf,
  showTopology,
  showUnstored,
  withoutEndpoints,
  type StoredTopology,
} from './stored-topology.js';
import { Topologies } from './topologies.js';
import { TakesTopology } from './topologies.openapi.js';
import {
  listQuerySchema,
  showQuerySchema,
  topologyIdSchema,
  type TopologyListQuery,
} from './topology-query.js';
import {
  checkedTopology,
  removedTopology,
  topologyPage,
  topologyVersions,
  topologyView,
  writtenTopology,
} from './topology-views.js';
import { Requires } from '../http/access/requires.js';

const ID = new ZodPipe(topologyIdSchema);

/** Topologies over HTTP (contract sections 3 and 9). */
@ApiTags('topologies')
@Controller('topologies')
@Requires('topologies:read')
export class TopologiesController {
  constructor(private readonly topologies: Topologies) {}

  @Get()
  @ApiOperation({ summary: 'List topologies', description: 'A page by ascending id.' })
  @TakesQuery(listQuerySchema)
  @Answers(topologyPage)
  @Revalidated()
  list(
    @Query(new ZodPipe(listQuerySchema)) query: TopologyListQuery,
    @CurrentPrincipal() { tenant }: Principal,
  ) {
    return this.topologies.list(tenant, query);
  }

  @Post()
  @Requires('topologies:write')
  @ApiOperation({
    summary: 'Create a topology',
    description:
      'Missing agents are derived. An invalid topology is refused with the path of every fault. `warnings` names what is allowed but looks like a mistake, such as a misspelt attribute.',
  })
  @TakesTopology()
  @Answers(writtenTopology, {
    status: 201,
    description: 'The topology as stored, with its version',
    headers: { Location: describeHeader('Its path') },
    message: 'Topology created',
  })
  @Refuses('TOPOLOGY_EXISTS')
  async create(
    @SentTopology() document: TopologyDocument,
    @CurrentPrincipal() { tenant }: Principal,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const stored = await this.topologies.create(tenant, document.value);
    response.location(locationOf(request.originalUrl, stored));
    return this.written(tenant, stored, response);
  }

  @Post('check')
  @ApiOperation({
    summary: 'Check a topology without storing it',
    description:
      'Answers what would be stored, agents derived and passwords redacted; if that has faults, only `errors`, with all of them. An `id` may exist already. 400 if the body cannot be read.',
  })
  @TakesTopology()
  @Answers(checkedTopology, { message: 'Topology checked' })
  async check(
    @SentTopology() document: TopologyDocument,
    @CurrentPrincipal() { tenant }: Principal,
  ) {
    const checked = await this.topologies.check(tenant, document.value);
    if ('faults' in checked) return { errors: checked.faults };
    const { topology } = checked;
    return this.warned(tenant, topology, await showUnstored(topology));
  }

  @Get(':id')
  @ApiOperation({
    summary: 'Show a topology',
    description:
      'With the agents derived (`derived` says which), and with passwords in URLs redacted. Without endpoints, if the role of the caller is viewer or trigger.',
  })
  @TakesParam('id', topologyIdSchema)
  @TakesQuery(showQuerySchema)
  @Answers(topologyView)
  @Refuses('TOPOLOGY_NOT_FOUND')
  async show(
    @Param('id', ID) id: number,
    @Query(new ZodPipe(showQuerySchema)) { version }: z.infer<typeof showQuerySchema>,
    @CurrentPrincipal() { tenant, role }: Principal,
  ) {
    const shown = await showTopology(
      version === undefined
        ? await this.topologies.get(tenant, id)
        : await this.topologies.version(tenant, id, version),
    );
    return mayDo(role, 'topologies:endpoints') ? shown : withoutEndpoints(shown);
  }

  @Get(':id/versions')
  @ApiOperation({ summary: 'The versions of a topology that are kept, newest first' })
  @TakesParam('id', topologyIdSchema)
  @Answers(topologyVersions)
  @Refuses('TOPOLOGY_NOT_FOUND')
  async versions(@Param('id', ID) id: number, @CurrentPrincipal() { tenant }: Principal) {
    return onePage(await this.topologies.versions(tenant, id));
  }

  @Put(':id')
  @Requires('topologies:write')
  @ApiOperation({
    summary: 'Replace a topology',
    description:
      'A full replacement with a new version. Runs keep the version they started with. A redacted URL keeps its stored password, parts in `derived` that come back unchanged are derived again, and `version`, `createdAt`, `updatedAt` and `derived` are ignored, so that the result of a GET can be edited and sent back. The body may omit `id`.',
  })
  @TakesParam('id', topologyIdSchema)
  @TakesTopology()
  @Answers(writtenTopology, { message: 'Topology replaced' })
  @Refuses('TOPOLOGY_NOT_FOUND')
  async replace(
    @Param('id', ID) id: number,
    @SentTopology() document: TopologyDocument,
    @CurrentPrincipal() { tenant }: Principal,
    @Res({ passthrough: true }) response: Response,
  ) {
    const stored = await this.topologies.replace(tenant, id, document.value);
    return this.written(tenant, stored, response);
  }

  @Delete(':id')
  @Requires('topologies:write')
  @ApiOperation({
    summary: 'Delete a topology',
    description: 'Runs that started with it continue.',
  })
  @TakesParam('id', topologyIdSchema)
  @Answers(removedTopology, { message: 'Topology deleted' })
  @Refuses('TOPOLOGY_NOT_FOUND')
  remove(@Param('id', ID) id: number, @CurrentPrincipal() { tenant }: Principal) {
    return this.topologies.remove(tenant, id);
  }

  private async written(tenant: string, stored: StoredTopology, response: Response) {
    setAuditObject(response, `topology ${stored.topology.id}, version ${stored.version}`);
    return this.warned(tenant, stored.topology, await showTopology(stored));
  }

  private async warned<Shown extends object>(tenant: string, topology: Topology, shown: Shown) {
    const warnings = await this.topologies.warnings(tenant, topology);
    return { ...shown, ...(warnings.length > 0 && { warnings }) };
  }
}
