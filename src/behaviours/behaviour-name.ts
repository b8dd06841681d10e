import type { AgentType } from '../domain/events/event.js';
import type { AgentBinding } from '../domain/topology/topology.js';
import { withoutEnding } from './read-tree-files.js';

/** Those of the agents that name none. */
const OF_ROLE: Record<AgentType, string> = {
  worker: 'worker',
  team_supervisor: 'team-supervisor',
  global_supervisor: 'global-supervisor',
  oracle: 'oracle',
};

/** The name of what an agent does, as it is in `Behaviours` and in what a run pins. */
export const behaviourName = (type: AgentType, { behaviour }: AgentBinding): string =>
  withoutEnding(behaviour ?? OF_ROLE[type]);

/** The role whose agents do what is called so, where they name nothing else. */
export const roleOf = (name: string): AgentType | undefined =>
  (Object.keys(OF_ROLE) as AgentType[]).find((type) => OF_ROLE[type] === name);
