import type { EventData, Turn } from '../../domain/events/event.js';
import { frame, type Frame } from '../encoder.js';
import { dispatchedAgent, withAgent, withoutAgent } from '../shared/agent-tree.js';
import { andThen, type EncoderStep } from '../shared/encoder-step.js';
import { close } from './messages.js';
import { keyOf, named, type AgUiState, type SubAgent } from './state.js';

/** The frame that begins a sub-agent, or continues one that was suspended. */
export function startOf({ subs }: AgUiState, { id, name, task, parent }: SubAgent): Frame {
  const sender = parent === null ? undefined : subs[parent];
  return frame({
    type: 'SUBAGENT_STARTED',
    subagentRunId: id,
    name,
    description: task,
    ...(sender && { parentSubagentRunId: sender.id }),
  });
}

/**
 * Begins a new turn or attempt if the event belongs to one. A message never continues across turns
 * or attempts.
 */
export function enter(
  state: AgUiState,
  { dispatch_id, turn, attempt }: Turn,
): EncoderStep<AgUiState> {
  const key = keyOf(state, dispatch_id);
  const sub = state.subs[key];
  if (!sub || (turn === sub.turn && attempt === sub.attempt)) return [state, []];
  const closed = close(state, key);
  if (turn !== sub.turn || attempt < sub.attempt)
    return andThen(closed, (now) => [
      { ...now, subs: withAgent(now.subs, { ...sub, turn, attempt }) },
      [],
    ]);
  const attempts = sub.attempts + 1;
  const next: SubAgent = {
    ...sub,
    turn,
    attempt,
    attempts,
    id: named(state, `${key}#${attempts}`),
  };
  const over = frame({
    type: 'SUBAGENT_ERROR',
    subagentRunId: sub.id,
    message: 'This attempt failed; another one follows.',
    code: 'SUPERSEDED',
  });
  return andThen(closed, (now) => [
    { ...now, subs: withAgent(now.subs, next) },
    [over, startOf(now, next)],
  ]);
}

/** Handles a dispatch. */
export function dispatch(
  state: AgUiState,
  event: Parameters<typeof dispatchedAgent>[1],
): EncoderStep<AgUiState> {
  const agent = dispatchedAgent(state.subs, event);
  const id = named(state, agent.dispatchId);
  const sub: SubAgent = { ...agent, id, attempts: 1, turn: 0, attempt: 1 };
  return [{ ...state, subs: withAgent(state.subs, sub) }, [startOf(state, sub)]];
}

/** Ends a sub-agent. @param end the last frame, without the id of the sub-agent */
export function leave(state: AgUiState, key: string, end: object): EncoderStep<AgUiState> {
  const sub = state.subs[key];
  if (!sub) return [state, []];
  const subs = withoutAgent(state.subs, key);
  return andThen(close(state, key), (now) => [
    { ...now, subs },
    [frame({ ...end, subagentRunId: sub.id })],
  ]);
}

/** Handles the report of an agent. */
export function report(
  state: AgUiState,
  { dispatch_id, status, summary, reasons, findings }: EventData['dispatch.report'],
): EncoderStep<AgUiState> {
  const end =
    status === 'failed'
      ? {
          type: 'SUBAGENT_ERROR',
          message: summary,
          ...(reasons[0] === undefined ? {} : { code: reasons[0] }),
        }
      : {
          type: 'SUBAGENT_FINISHED',
          result: { status, reasons, summary, findings },
          outcome: { type: 'success' },
        };
  return leave(state, dispatch_id, end);
}
