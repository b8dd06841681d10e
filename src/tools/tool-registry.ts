import { Injectable, Optional } from '@nestjs/common';
import { z } from 'zod';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import { Sources } from '../sources/sources.js';
import type { Tool, ToolContext } from './tool.js';
import { diagnosticTools } from './tools.js';

/** The diagnostic tools by name. */
@Injectable()
export class ToolRegistry {
  private readonly byName = new Map<string, { tool: Tool; schema: object }>();

  constructor(@Optional() private readonly sources?: Sources) {
    diagnosticTools.forEach((tool) => this.add(tool));
  }

  /** Takes the place of one with the same name. */
  add(tool: Tool): void {
    this.byName.set(tool.name, { tool, schema: z.toJSONSchema(tool.args, { io: 'input' }) });
  }

  get all(): readonly Tool[] {
    return [...this.byName.values()].map(({ tool }) => tool);
  }

  get(name: string): Tool | undefined {
    return this.byName.get(name)?.tool;
  }

  /** What a tool gets to know of where it is called. @throws ConsiliumError where a source of the topology cannot be opened */
  async contextFor(
    topology: Topology,
    node: TopologyNode,
    signal: AbortSignal,
  ): Promise<ToolContext> {
    const sources = await this.sources?.of(topology);
    return { node, nodes: topology.nodes, signal, ...(sources && { sources }) };
  }

  /** JSON Schema of a tool's arguments. */
  schemaOf(name: string): object {
    return this.byName.get(name)?.schema ?? {};
  }
}
