import type { AgentType } from '../domain/events/event.js';
import type { AgentBinding } from '../domain/topology/topology.js';
import { withoutEnding } from './read-tree-files.js';

/** The behaviour of an agent that names none. */
const OF_ROLE: Record<AgentType, string> = {
  worker: 'worker',
  team_supervisor: 'team-supervisor',
  global_supervisor: 'global-supervisor',
  oracle: 'oracle',
};

/** The name of an agent's behaviour, as in `Behaviours` and in the specification of a run. */
export const behaviourName = (
  type: AgentType,
  { behaviour }: Pick<AgentBinding, 'behaviour'>,
): string => withoutEnding(behaviour ?? OF_ROLE[type]);

/** The role whose default behaviour has this name. */
export const roleOf = (name: string): AgentType | undefined =>
  (Object.keys(OF_ROLE) as AgentType[]).find((type) => OF_ROLE[type] === name);
