import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { PromptFiles } from '../prompts/prompt-files.js';
import { ToolRegistry } from './tool-registry.js';
import { Requires } from '../http/access/requires.js';

@ApiTags('catalogue')
@Controller('tools')
@Requires('catalogue:read')
export class ToolsController {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly texts: PromptFiles,
  ) {}

  @Get()
  @ApiOperation({ summary: 'The diagnostic tools, with JSON Schemas of their arguments' })
  @AnswersAll({
    name: z.string(),
    description: z.string(),
    access: z.string(),
    repeatable: z.boolean(),
    args: z.looseObject({}),
  })
  list() {
    const items = this.tools.all.map(({ name, description, access, repeatable }) => ({
      name,
      description: description ?? this.texts.prompts.tools[name] ?? '',
      access,
      repeatable,
      args: this.tools.schemaOf(name),
    }));
    return onePage(items);
  }
}
