import type { NamedEvent } from '../../domain/events/event.js';

/** An agent that was dispatched and has not reported, for formats that show more than one agent. */
export interface DispatchedAgent {
  dispatchId: string;
  /** The dispatch of the parent agent; null if the top-level agent is the parent. */
  parent: string | null;
  agentId: string;
  name: string;
  teamName: string | null;
  task: string;
}

/**
 * The active agents by dispatch, in the order of their dispatches. `Kept` is the data that a format
 * stores for each.
 */
export type AgentTree<Kept> = Readonly<Record<string, DispatchedAgent & Kept>>;

type DispatchEvent = Extract<NamedEvent, { name: 'dispatch.team' | 'dispatch.worker' }>;

/** Returns the agent that a dispatch event starts. */
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

/** Returns the latest dispatch of an agent; undefined for the top-level agent. */
export const dispatchOf = (
  tree: AgentTree<object>,
  agentId: string | undefined,
): string | undefined =>
  Object.values(tree).findLast((agent) => agent.agentId === agentId)?.dispatchId;

/** Adds or replaces an agent. */
export const withAgent = <Kept>(
  tree: AgentTree<Kept>,
  agent: DispatchedAgent & Kept,
): AgentTree<Kept> => ({ ...tree, [agent.dispatchId]: agent });

/** Removes an agent that has reported. */
export function withoutAgent<Kept>(tree: AgentTree<Kept>, dispatchId: string): AgentTree<Kept> {
  const { [dispatchId]: _, ...rest } = tree;
  return rest;
}
