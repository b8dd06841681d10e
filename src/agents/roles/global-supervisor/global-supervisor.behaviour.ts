import { writeBrief } from '../../../domain/diagnosis/brief.js';
import type { Topology } from '../../../domain/topology/topology.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import type { Tool } from '../../../tools/tool.js';
import { dispatchTeam, reportTool } from '../../runtime/control-tools.js';
import { functionTool } from '../../runtime/conversation.js';
import { briefNodes, EVIDENCE_RULE, withOwn } from '../prompts.js';
import type { RoleBehaviour } from '../role-behaviour.js';

const PROMPT = `You lead the diagnosis of a system. Send teams, all that you need at once together; their reports come back as results. Send others, or one again, where a question is left open.
Then call \`report\`: the root causes, and the findings. A root cause is an unhealthy node whose trouble is not explained by something that it depends on; what is merely downstream of it is a finding that says so.
${EVIDENCE_RULE}
The system, as JSON:`;

/** The global supervisor: looks at the whole system where there is telemetry of it, sends teams, concludes. */
export const globalSupervisorBehaviour = (tools: ToolRegistry): RoleBehaviour => {
  const wide = ({ nodes, sources }: Topology): Tool[] =>
    tools.all.filter(
      (tool) => tool.scope === 'topology' && nodes.some((node) => tool.appliesTo(node, sources)),
    );
  return {
    system({ userMessage, topology }, { binding }) {
      const [node] = topology.nodes;
      const firstLook = wide(topology).flatMap((tool) =>
        tool.onDemand || node === undefined
          ? []
          : [{ tool: tool.name, args: { ...tool.argsFor(node) } }],
      );
      return writeBrief(withOwn(binding.prompt, PROMPT), {
        role: 'global_supervisor',
        userMessage,
        nodes: briefNodes(topology),
        teams: topology.teams.map(({ name, nodes }) => ({ name, nodes })),
        firstLook,
      });
    },
    tools: ({ topology }) => [
      ...wide(topology).map(({ name, description }) =>
        functionTool(name, description, tools.schemaOf(name)),
      ),
      dispatchTeam(topology),
      reportTool('top'),
    ],
    diagnostic: ({ topology }) => wide(topology).map(({ name }) => name),
  };
};
