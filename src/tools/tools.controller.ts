import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { ToolRegistry } from './tool-registry.js';

@ApiTags('catalogue')
@Controller('tools')
export class ToolsController {
  constructor(private readonly tools: ToolRegistry) {}

  @Get()
  @ApiOperation({ summary: 'The diagnostic tools, with JSON Schemas of their arguments' })
  list() {
    const items = this.tools.all.map(({ name, description, access, repeatable }) => ({
      name,
      description,
      access,
      repeatable,
      args: this.tools.schemaOf(name),
    }));
    return success({ items, nextCursor: null });
  }
}
