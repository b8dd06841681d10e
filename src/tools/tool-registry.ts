import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tool } from './tool.js';
import { diagnosticTools } from './tools.js';

/** The diagnostic tools by name. */
@Injectable()
export class ToolRegistry {
  private readonly byName = new Map<string, { tool: Tool; schema: object }>();

  constructor() {
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

  /** JSON Schema of a tool's arguments. */
  schemaOf(name: string): object {
    return this.byName.get(name)?.schema ?? {};
  }
}
