import type { RunSpec } from '../../../domain/run.js';
import type { Topology } from '../../../domain/topology/topology.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import type { Tool } from '../../../tools/tool.js';
import { dispatchTeam, reportTool } from '../../runtime/control-tools.js';
import { briefNodes, firstLookAt } from '../brief-nodes.js';
import type { RoleBehaviour } from '../role-behaviour.js';

/**
 * The global supervisor: examines the whole system if there is telemetry of it, dispatches teams,
 * requests repairs in a run that may repair, and concludes.
 */
export const globalSupervisorBehaviour = (tools: ToolRegistry): RoleBehaviour => {
  const wide = ({ nodes, sources }: Topology): Tool[] =>
    tools.all.filter(
      (tool) => tool.scope === 'topology' && nodes.some((node) => tool.appliesTo(node, sources)),
    );
  const repairs = ({ repair, topology }: RunSpec): Tool[] =>
    repair === true
      ? tools.all.filter(
          (tool) =>
            tool.scope === 'repair' &&
            topology.nodes.some((node) => tool.appliesTo(node, topology.sources)),
        )
      : [];
  return {
    brief(spec) {
      const { topology } = spec;
      const [node] = topology.nodes;
      return {
        role: 'global_supervisor',
        nodes: briefNodes(topology),
        teams: topology.teams.map(({ name, nodes, workers }) => ({
          name,
          nodes,
          tools: [...new Set(workers.flatMap((worker) => worker.tools))],
        })),
        firstLook: node ? firstLookAt(node, wide(topology), topology.sources) : [],
        ...(spec.repair && {
          repairs: topology.nodes.flatMap((each) =>
            firstLookAt(each, repairs(spec), topology.sources),
          ),
        }),
      };
    },
    tools: (spec) => [
      ...[...wide(spec.topology), ...repairs(spec)].flatMap(({ name }) => tools.offer(name) ?? []),
      dispatchTeam(spec.topology),
      reportTool('top'),
    ],
    diagnostic: (spec) => [...wide(spec.topology), ...repairs(spec)].map(({ name }) => name),
  };
};
