import { tokensOf } from '../../../domain/context/density.js';
import type { DraftEvent } from '../../../domain/events/event.js';
import { detectLoop } from '../../../domain/limits/repetition.js';
import { emitAgentEvent } from '../../notices/emit-agent-event.js';
import type { SessionDraft } from '../../runtime/agent-session.js';
import { isControlTool } from '../../runtime/control-tools.js';
import type { Message } from '../../runtime/conversation.js';
import type { ActionResult } from '../action.js';
import type { ModelTurn } from './call-result.js';
import { actionsOf } from '../check-progress.js';
import { control } from './control.js';
import { loopDetected, tokenNotices, tokenReached } from '../limit-notices.js';
import { once } from '../once.js';
import { nextCallId, openCall } from '../tools/open-call.js';
import { readCall } from './read-call.js';
import { usageEvent } from './usage-event.js';

type Assistant = Extract<Message, { role: 'assistant' }>;

export interface TurnSurroundings {
  /** Keys of the blackboard that the text goes to. */
  streamTo: readonly string[];
  /** The agents that were dispatched in this run so far, one entry a dispatch. */
  dispatched: readonly string[];
  /** Whether a tool may be called again, so that an unrecorded call is harmless. */
  mayRepeat: (tool: string) => boolean;
}

/**
 * The step that records a model's turn: its usage, its tool calls and dispatches, and what was
 * wrong with them. Changes the draft.
 */
export function recordTurn(
  draft: SessionDraft,
  turn: ModelTurn,
  { streamTo, dispatched, mayRepeat }: TurnSurroundings,
): ActionResult {
  const { board, source, spec, scratch } = draft;
  for (const key of streamTo) board.own[key] = turn.text;
  const events: DraftEvent[] = [usageEvent(source, draft.turn, turn)];
  const assistant: Assistant = { role: 'assistant', text: turn.text, calls: [] };
  const messages: Message[] = [assistant];
  const sent = [...dispatched];
  const most = spec.limits.maxToolCallsPerTurn;
  // All calls beyond the limit have one refusal: each would take two events of the log.
  for (const [i, given] of turn.calls.slice(0, most + 1).entries()) {
    const call = readCall(given);
    const id = nextCallId(draft);
    assistant.calls.push({ id, tool: call.tool, args: call.args });
    const fault =
      i < most
        ? call.fault
        : `At most ${most} calls are made in a turn; this one and any after it were not.`;
    if (!isControlTool(call.tool))
      events.push(openCall(draft, id, { ...call, ...(fault !== undefined && { fault }) }));
    else {
      const refused =
        fault ?? control(draft, { id, tool: call.tool, args: call.args }, events, sent);
      if (refused !== null)
        messages.push({ role: 'result', id, output: refused, failed: true, refused: true });
    }
  }
  if (turn.calls.length === 0) messages.push(...finish(draft, turn, events));
  warnOfLoop(draft, assistant, events);
  const used = turn.usage.input + turn.usage.output;
  if (used > 0) events.push(...tokenNotices(draft));
  board.context = contextAfter(draft, turn);
  // Calls and dispatches are recorded before they are carried out, and tokens are settled at once.
  // Otherwise the next step follows soon: the built-in planner decides the same again at no cost,
  // and may repeat its calls.
  const isFree = turn.entry.isFree === true && board.calls.every(({ tool }) => mayRepeat(tool));
  const hold = board.waiting.length === 0 && used === 0 && (board.calls.length === 0 || isFree);
  return {
    outcome: 'success',
    ...(hold && { hold }),
    state: board,
    events,
    messages,
    scratch,
  };
}

/** Tokens of the conversation by the provider's count. The deterministic planner counts none. */
function contextAfter({ board, messages }: SessionDraft, { entry, usage, bytes }: ModelTurn) {
  if (entry.isFree === true) return null;
  const counted = usage.estimated
    ? Math.max(usage.input, tokensOf(board.density, bytes))
    : usage.input;
  return { tokens: counted + usage.output, messages: messages.length + 1, model: entry.name };
}

/**
 * The model made no call, which ends its work. In its first turn, an agent of a diagnosis is asked
 * once to use its tools instead. An answer that was cut off at its maximum length is incomplete.
 */
function finish(
  draft: SessionDraft,
  { entry, finishReason, isBounded }: ModelTurn,
  events: DraftEvent[],
): Message[] {
  const { board, place, spec } = draft;
  const mayGoOn = board.turn === 1 && board.turn < spec.limits.maxIterations && !isBounded;
  if (mayGoOn && place.type !== 'oracle' && entry.isFree !== true && once(board, 'nudge'))
    return [
      {
        role: 'note',
        text: 'You have called no tool. Text alone ends nothing here: call your tools, or call `report` if you are done.',
      },
    ];
  board.stop = true;
  if (finishReason !== 'length') return [];
  board.reasons.push(isBounded ? 'LIMIT_REACHED' : 'ANSWER_CUT');
  if (isBounded) events.push(tokenReached(draft, 0));
  return [];
}

/** The model is also warned, with the results. The agent continues. */
function warnOfLoop(draft: SessionDraft, assistant: Assistant, events: DraftEvent[]): void {
  if (draft.board.stop) return;
  const pattern = detectLoop(actionsOf([...draft.messages, assistant]));
  if (pattern === null || !once(draft.board, 'loop')) return;
  const { message, event } = loopDetected(draft, pattern);
  events.push(event);
  emitAgentEvent(draft, 'agent.loop.detected', { message, pattern });
}
