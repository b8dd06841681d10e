import type { EventData, NamedEvent, ResultSource, Usage } from '../../domain/events/event.js';
import { BEFORE, shownText, toChatParts } from './chat-parts.js';
import type { RunStatus } from '../../domain/run-status.js';
import type { JsonObject } from '../../lib/json.js';

const MOST_CALLS = 100;
const LONGEST_ARGUMENTS = 1_000;

/** A tool call of a turn, without its result. */
export interface AnswerCall {
  tool_call_id: string;
  tool: string;
  /** Absent if they are long. */
  args?: JsonObject;
  /** Null: it has no result (yet). */
  status: EventData['llm.tool_result']['status'] | null;
  duration_ms: number | null;
}

/** The answer of a conversation turn, computed from its log so far. */
export interface TurnAnswer {
  content: string;
  status: Extract<RunStatus, 'running' | 'completed' | 'failed' | 'cancelled'>;
  /** Whether the answer is incomplete. */
  partial: boolean;
  /** As ISO 8601. Absent: it has not ended, or an earlier version stored the answer. */
  ended_at?: string;
  /** Why the turn failed. */
  error?: string;
  /** The sources of a completed answer, the best first. Absent: none. */
  sources?: readonly ResultSource[];
  /**
   * The first calls of the turn, in their order. Absent: none, or an earlier version stored the
   * answer.
   */
  tool_calls?: readonly AnswerCall[];
  /** Absent: no model was called, or an earlier version stored the answer. */
  usage?: Usage;
}

/** Returns the text that clients of the chat formats received. */
export function answerOf(events: readonly NamedEvent[]): TurnAnswer {
  let state = BEFORE;
  let content = '';
  let status: TurnAnswer['status'] = 'running';
  let partial = true;
  let error: string | undefined;
  let sources: readonly ResultSource[] = [];
  const calls = new Map<string, AnswerCall>();
  for (const event of events) {
    countCall(calls, event);
    const [next, parts] = toChatParts(state, event);
    state = next;
    for (const part of parts) {
      if (part.kind === 'text') content += shownText(part);
      if (part.kind === 'completed')
        [status, partial, sources] = ['completed', part.data.partial, part.sources];
      else if (part.kind === 'failed') [status, error] = ['failed', part.data.error];
      else if (part.kind === 'cancelled') status = 'cancelled';
    }
  }
  return {
    content,
    status,
    partial,
    ...(status !== 'running' && { ended_at: events.at(-1)?.timestamp ?? '' }),
    ...(error !== undefined && { error }),
    ...(sources.length > 0 && { sources }),
    ...(calls.size > 0 && { tool_calls: [...calls.values()] }),
    ...(state.usage.total_tokens > 0 && { usage: state.usage }),
  };
}

function countCall(calls: Map<string, AnswerCall>, { name, data }: NamedEvent): void {
  if (name === 'llm.tool_call' && calls.size < MOST_CALLS) {
    const { tool_call_id, tool, args } = data;
    const isShort = JSON.stringify(args).length <= LONGEST_ARGUMENTS;
    const call = { tool_call_id, tool, ...(isShort && { args }), status: null, duration_ms: null };
    calls.set(tool_call_id, call);
  }
  if (name !== 'llm.tool_result') return;
  const { tool_call_id, status, duration_ms } = data;
  const call = calls.get(tool_call_id);
  if (call) calls.set(tool_call_id, { ...call, status, duration_ms });
}
