import { dispatchWorker, reportTool } from '../../runtime/control-tools.js';
import { briefNodes } from '../brief-nodes.js';
import type { RoleBehaviour } from '../role-behaviour.js';

/** A team supervisor: dispatches workers and reports their findings. */
export const teamSupervisorBehaviour: RoleBehaviour = {
  brief({ topology }, { team }) {
    if (!team) throw new Error('a team supervisor without a team');
    return {
      role: 'team_supervisor',
      team: team.name,
      nodes: briefNodes(topology, team.nodes),
      workers: team.workers.map(({ name, node, tools }) => ({ name, node, tools })),
    };
  },
  tools: (_, { team }) => [dispatchWorker(team?.workers ?? []), reportTool('below')],
};
