import type { Source } from '../domain/events/event.js';
import { topOf, type RunSpec } from '../domain/run.js';

/**
 * The source of a run's terminal event: the top agent, even if the service ends the run (contract
 * section 2).
 */
export function topSource(spec: Pick<RunSpec, 'chat' | 'topology'>): Source {
  const { agentId, name } = topOf(spec);
  return {
    agent_id: agentId,
    agent_type: spec.chat ? 'oracle' : 'global_supervisor',
    agent_name: name,
    team_name: null,
  };
}
