import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { success } from '../domain/envelope.js';
import { Models, type ModelEntry } from './models.js';

@ApiTags('catalogue')
@Controller('models')
export class ModelsController {
  constructor(private readonly models: Models) {}

  @Get()
  @ApiOperation({ summary: 'The models that agents may be bound to' })
  list() {
    const { name } = this.models.default;
    return success({
      items: this.models.list().map((entry) => show(entry, entry.name === name)),
      nextCursor: null,
    });
  }
}

/** What may be known of a model: not its address, nor what its key is called. */
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
