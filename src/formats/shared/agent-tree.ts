import type { NamedEvent } from '../../domain/events/event.js';

/** An agent that was dispatched and has not reported, as the formats that show more than one agent tell it. */
export interface DispatchedAgent {
  dispatchId: string;
  /** The dispatch of the agent that sent it; null for the agent at the top. */
  parent: string | null;
  agentId: string;
  name: string;
  teamName: string | null;
  task: string;
}

/** The agents at work, by dispatch, in the order in which they were sent; each with what a format keeps of it. */
export type AgentTree<Kept> = Readonly<Record<string, DispatchedAgent & Kept>>;

type DispatchEvent = Extract<NamedEvent, { name: 'dispatch.team' | 'dispatch.worker' }>;

/** The agent that a dispatch sends. */
export function dispatchedAgent(tree: AgentTree<object>, event: DispatchEvent): DispatchedAgent {
  const { dispatch_id: dispatchId, agent_id: agentId, task } = event.data;
  const parent = dispatchOf(tree, event.source?.agent_id) ?? null;
  return event.name === 'dispatch.team'
    ? {
        dispatchId,
        parent,
        agentId,
        name: event.data.team_name,
        teamName: event.data.team_name,
        task,
      }
    : {
        dispatchId,
        parent,
        agentId,
        name: event.data.worker_name,
        teamName: event.source?.team_name ?? null,
        task,
      };
}

/** The latest dispatch that an agent works on; undefined for the agent at the top. */
export const dispatchOf = (
  tree: AgentTree<object>,
  agentId: string | undefined,
): string | undefined =>
  Object.values(tree).findLast((agent) => agent.agentId === agentId)?.dispatchId;

/** The tree with an agent as it is now. */
export const withAgent = <Kept>(
  tree: AgentTree<Kept>,
  agent: DispatchedAgent & Kept,
): AgentTree<Kept> => ({ ...tree, [agent.dispatchId]: agent });

/** The tree without an agent that has reported. */
export function withoutAgent<Kept>(tree: AgentTree<Kept>, dispatchId: string): AgentTree<Kept> {
  const { [dispatchId]: _, ...rest } = tree;
  return rest;
}
