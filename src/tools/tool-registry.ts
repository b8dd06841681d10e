import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { Tool } from './tool.js';
import { diagnosticTools } from './tools.js';

/** The diagnostic tools by name. */
@Injectable()
export class ToolRegistry {
  readonly all: readonly Tool[] = diagnosticTools;
  private readonly byName = new Map(this.all.map((tool) => [tool.name, tool]));
  private readonly schemas = new Map(this.all.map((tool) => [tool.name, z.toJSONSchema(tool.args)]));

  get(name: string): Tool | undefined {
    return this.byName.get(name);
  }

  /** JSON Schema of a tool's arguments. */
  schemaOf(name: string) {
    return this.schemas.get(name) ?? {};
  }
}
