import type { Blackboard } from '../../domain/blackboard.js';
import type { DraftEvent, Source } from '../../domain/events/event.js';

/** Results for the open calls of an agent that ends. */
export const unanswered = (
  board: Blackboard,
  source: Source,
  dispatchId: string | null,
): DraftEvent[] =>
  board.calls.map(({ tool, tool_call_id }) => ({
    name: 'llm.tool_result',
    source,
    data: {
      tool,
      result: { error: 'the agent ended before there was a result' },
      tool_call_id,
      status: 'interrupted',
      duration_ms: 0,
      truncated: false,
      dispatch_id: dispatchId,
      turn: board.turn,
      attempt: board.attempt,
    },
  }));
