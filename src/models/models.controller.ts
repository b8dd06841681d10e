import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';
import { AnswersAll, onePage } from '../http/catalogue.js';
import { Models, type ModelEntry } from './models.js';
import { Requires } from '../http/access/requires.js';

@ApiTags('catalogue')
@Controller('models')
@Requires('catalogue:read')
export class ModelsController {
  constructor(private readonly models: Models) {}

  @Get()
  @ApiOperation({ summary: 'The models that agents may be bound to' })
  @AnswersAll({
    name: z.string(),
    description: z.string(),
    contextWindow: z.number(),
    default: z.boolean(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    fallback: z.array(z.string()),
    concurrency: z.number().nullable(),
    requestsPerMinute: z.number().nullable(),
    prices: z.looseObject({}).nullable(),
  })
  list() {
    const { name } = this.models.default;
    return onePage(this.models.list().map((entry) => show(entry, entry.name === name)));
  }
}

/** The public description of a model. Leaves out its address and the name of its key variable. */
function show(
  { name, description, contextWindow, provider, modelId, fallback, limits, prices }: ModelEntry,
  isDefault: boolean,
) {
  return {
    name,
    description,
    contextWindow,
    default: isDefault,
    provider: provider ?? null,
    model: modelId ?? null,
    fallback: fallback ?? [],
    concurrency: limits?.concurrency ?? null,
    requestsPerMinute: limits?.requestsPerMinute ?? null,
    prices: prices ?? null,
  };
}
