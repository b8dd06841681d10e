import type { Topology } from '../../../domain/topology/topology.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import type { Tool } from '../../../tools/tool.js';
import { dispatchTeam, reportTool } from '../../runtime/control-tools.js';
import { briefNodes, firstLookAt } from '../brief-nodes.js';
import type { RoleBehaviour } from '../role-behaviour.js';

/** The global supervisor: looks at the whole system where there is telemetry of it, sends teams, concludes. */
export const globalSupervisorBehaviour = (tools: ToolRegistry): RoleBehaviour => {
  const wide = ({ nodes, sources }: Topology): Tool[] =>
    tools.all.filter(
      (tool) => tool.scope === 'topology' && nodes.some((node) => tool.appliesTo(node, sources)),
    );
  return {
    brief({ topology }) {
      const [node] = topology.nodes;
      return {
        role: 'global_supervisor',
        nodes: briefNodes(topology),
        teams: topology.teams.map(({ name, nodes, workers }) => ({
          ...{ name, nodes },
          tools: [...new Set(workers.flatMap((worker) => worker.tools))],
        })),
        firstLook: node ? firstLookAt(node, wide(topology), topology.sources) : [],
      };
    },
    tools: ({ topology }) => [
      ...wide(topology).flatMap(({ name }) => tools.offer(name) ?? []),
      dispatchTeam(topology),
      reportTool('top'),
    ],
    diagnostic: ({ topology }) => wide(topology).map(({ name }) => name),
  };
};
