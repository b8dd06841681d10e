import { writeBrief } from '../../../domain/diagnosis/brief.js';
import { controlTool, dispatchTeam } from '../../runtime/control-tools.js';
import { briefNodes, EVIDENCE_RULE, withOwn } from '../prompts.js';
import type { RoleBehaviour } from '../role-behaviour.js';

const PROMPT = `You lead the diagnosis of a system. Send teams, all that you need at once together; their reports come back as results. Send others, or one again, where a question is left open.
Then call \`report\`: the root causes, and the findings. A root cause is an unhealthy node whose trouble is not explained by something that it depends on; what is merely downstream of it is a finding that says so.
${EVIDENCE_RULE}
The system, as JSON:`;

/** The global supervisor: sends teams, concludes. */
export const globalSupervisorBehaviour: RoleBehaviour = {
  system({ userMessage, topology }, { binding }) {
    return writeBrief(withOwn(binding.prompt, PROMPT), {
      role: 'global_supervisor',
      userMessage,
      nodes: briefNodes(topology),
      teams: topology.teams.map(({ name, nodes }) => ({ name, nodes })),
    });
  },
  tools: ({ topology }) => [dispatchTeam(topology), controlTool('report')],
};
