import type { Source } from '../domain/event.js';
import type { AgentBinding } from '../domain/topology.js';

/** The source of the events that end a run: the global supervisor, also where the service itself ends it. Contract section 2. */
export const topSource = ({ agentId, name }: AgentBinding): Source => ({
  agent_id: agentId,
  agent_type: 'global_supervisor',
  agent_name: name,
  team_name: null,
});
