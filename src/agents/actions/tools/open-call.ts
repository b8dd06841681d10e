import type { OpenCall } from '../../../domain/blackboard.js';
import type { DraftEvent } from '../../../domain/events/event.js';
import { textOf } from '../../../lib/json.js';
import { emitAgentEvent } from '../../notices/emit-agent-event.js';
import type { SessionDraft } from '../../runtime/agent-session.js';

/** The id of an agent's next call. A resumed agent creates the same ids. Changes the draft. */
export const nextCallId = ({ board, dispatchId }: SessionDraft): string =>
  `${dispatchId === null ? '' : `${dispatchId}_`}t${++board.toolCalls}`;

/** Opens a call. Changes the draft. @returns the event that records it */
export function openCall(
  draft: SessionDraft,
  id: string,
  { tool, args, fault }: Pick<OpenCall, 'tool' | 'args' | 'fault'>,
  by: { by_service?: true } = {},
): DraftEvent {
  draft.board.calls.push({
    tool_call_id: id,
    tool,
    args,
    ...by,
    ...(fault !== undefined && { fault }),
  });
  emitAgentEvent(draft, 'tool.call.pending', {
    tool_name: tool,
    tool_call_id: id,
    node: textOf(args, 'node'),
  });
  return {
    name: 'llm.tool_call',
    source: draft.source,
    data: { tool, args, tool_call_id: id, ...by, ...draft.turn },
  };
}
