import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Requires } from '../http/access/requires.js';
import { PromptFiles } from './prompt-files.js';

@ApiTags('catalogue')
@Controller('prompts')
@Requires('catalogue:read')
export class PromptsController {
  constructor(private readonly prompts: PromptFiles) {}

  @Get()
  @ApiOperation({
    summary: 'The texts that models are sent and that reports are made of',
    description: 'Shipped, or of PROMPTS_DIR (`user`). A run keeps those that it began with.',
  })
  @AnswersAll({ name: z.string(), origin: z.string(), digest: z.string(), text: z.string() })
  list() {
    return onePage([...this.prompts.files]);
  }
}
