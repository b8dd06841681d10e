import type { DraftEvent, Source, Turn } from '../domain/event.js';
import { costOf } from '../models/cost.js';
import type { Turned } from './call-model.js';

/** What a turn of a model took. */
export function usageEvent(source: Source, place: Turn, { entry, usage, finishReason }: Turned): DraftEvent {
  const { input, output } = usage;
  return {
    name: 'llm.usage',
    source,
    data: {
      ...place,
      model: entry.name,
      input_tokens: input,
      output_tokens: output,
      context_tokens: input + output,
      max_context_tokens: entry.contextWindow,
      finish_reason: finishReason,
      ...(entry.prices && { cost: costOf(usage, entry.prices) }),
    },
  };
}
