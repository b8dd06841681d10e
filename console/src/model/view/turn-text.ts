import { unescapeMarkdown } from '../../../../src/lib/markdown.js';
import type { RunModel } from '../run-model.js';
import type { EventOf } from '../types.js';

type TurnEvent = EventOf<'llm.stream'> | EventOf<'llm.reasoning'> | EventOf<'llm.usage'>;

export interface TurnText {
  reasoning: string;
  said: string;
  usage: EventOf<'llm.usage'>['data'] | null;
}

/**
 * All that a model said in the turn that an event belongs to, without the escapes of its Markdown.
 */
export function turnTextOf(model: RunModel, event: TurnEvent): TurnText {
  const { dispatch_id: dispatch, turn, attempt } = event.data;
  const text: TurnText = { reasoning: '', said: '', usage: null };
  const from = model.rows.get(dispatch ?? '')?.startSeq ?? 1;
  for (let seq = from; seq <= model.last && !text.usage; seq++) {
    const other = model.at(seq);
    if (other?.event.category !== 'llm') continue;
    const { data } = other as TurnEvent;
    if (data.dispatch_id !== dispatch || data.turn !== turn || data.attempt !== attempt) continue;
    if (other.name === 'llm.reasoning') text.reasoning += other.data.thought;
    if (other.name === 'llm.stream') text.said += other.data.content;
    if (other.name === 'llm.usage') text.usage = other.data;
  }
  return {
    ...text,
    reasoning: unescapeMarkdown(text.reasoning),
    said: unescapeMarkdown(text.said),
  };
}
