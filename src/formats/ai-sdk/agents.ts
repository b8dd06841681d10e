import type { EventData } from '../../domain/events/event.js';
import type { Frame } from '../encoder.js';
import { dispatchedAgent, withAgent, withoutAgent } from '../shared/agent-tree.js';
import type { EncoderStep } from '../shared/encoder-step.js';
import { part, type AiSdkState, type WorkingAgent } from './state.js';

/** Creates the `data-agent` part of an agent. @param more further keys for its current status */
export const agentPart = (
  { dispatchId, parent, agentId, name, teamName, task, text }: WorkingAgent,
  { status, ...more }: { status: string; summary?: string; reasons?: string[] },
): Frame =>
  part('agent', dispatchId, {
    dispatch_id: dispatchId,
    parent,
    agent_id: agentId,
    name,
    team_name: teamName,
    task,
    status,
    ...(text !== undefined && { text }),
    ...more,
  });

/** Handles a dispatch. */
export function dispatch(
  state: AiSdkState,
  event: Parameters<typeof dispatchedAgent>[1],
): EncoderStep<AiSdkState> {
  const agent: WorkingAgent = {
    ...dispatchedAgent(state.agents, event),
    turn: 0,
    attempt: 1,
    saying: '',
  };
  return [
    { ...state, agents: withAgent(state.agents, agent) },
    [agentPart(agent, { status: 'running' })],
  ];
}

/**
 * Collects the text of a sub-agent. It is sent after the turn is recorded, because only the last
 * attempt is valid.
 */
export function collect(
  state: AiSdkState,
  { dispatch_id, turn, attempt, content }: EventData['llm.stream'],
): AiSdkState {
  const agent = state.agents[dispatch_id as string];
  if (!agent) return state;
  const goesOn = turn === agent.turn && attempt === agent.attempt;
  const saying = goesOn ? agent.saying + content : content;
  return { ...state, agents: withAgent(state.agents, { ...agent, turn, attempt, saying }) };
}

/** Handles the recording of a turn of a sub-agent. */
export function recordBelow(
  state: AiSdkState,
  { dispatch_id, turn, attempt }: EventData['llm.usage'],
): EncoderStep<AiSdkState> {
  const agent = state.agents[dispatch_id as string];
  if (!agent || agent.saying === '' || agent.turn !== turn || agent.attempt !== attempt)
    return [state, []];
  const said: WorkingAgent = { ...agent, text: agent.saying, saying: '' };
  return [
    { ...state, agents: withAgent(state.agents, said) },
    [agentPart(said, { status: 'running' })],
  ];
}

/** Handles the report of an agent. */
export function report(
  state: AiSdkState,
  { dispatch_id, status, reasons, summary }: EventData['dispatch.report'],
): EncoderStep<AiSdkState> {
  const agent = state.agents[dispatch_id];
  if (!agent) return [state, []];
  return [
    { ...state, agents: withoutAgent(state.agents, dispatch_id) },
    [agentPart(agent, { status, reasons, summary })],
  ];
}
