import type { CallTiming, DraftEvent, Source, Turn } from '../../../domain/events/event.js';
import { costOf, type TurnUsage } from '../../../models/calls/cost.js';
import type { ModelEntry } from '../../../models/models.js';

/** The tokens and times of a model call, and how it ended. */
export interface TurnCost {
  entry: ModelEntry;
  usage: TurnUsage;
  finishReason: string;
  timing?: CallTiming;
}

/** The usage of a turn of a model, or of an attempt. */
export function usageEvent(
  source: Source,
  place: Turn,
  { entry, usage, finishReason, timing }: TurnCost,
): DraftEvent {
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
      ...(usage.estimated && { estimated: true as const }),
      ...timing,
      ...(entry.prices && { cost: costOf(usage, entry.prices) }),
    },
  };
}
