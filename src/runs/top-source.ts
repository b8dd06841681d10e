import type { Source } from '../domain/event.js';
import type { RunSpec } from '../domain/run.js';

/** The source of the events that end a run: the global supervisor, also where the service itself ends it. Contract section 2. */
export const topSource = ({ topology: { globalSupervisor } }: RunSpec): Source => ({
  agent_id: globalSupervisor.agentId,
  agent_type: 'global_supervisor',
  agent_name: globalSupervisor.name,
  team_name: null,
});
