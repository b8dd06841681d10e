import { writeBrief } from '../../../domain/diagnosis/brief.js';
import { dispatchWorker, reportTool } from '../../runtime/control-tools.js';
import { briefNodes, EVIDENCE_RULE, withOwn } from '../prompts.js';
import type { RoleBehaviour } from '../role-behaviour.js';

const PROMPT = `You lead a team that looks after some nodes of a system. Send your workers, all that you need at once together; their reports come back as results.
Send one again, with another task, where its report leaves a question open. Then call \`report\` with what they found, in their findings' words and with their evidence.
${EVIDENCE_RULE}
Your place, as JSON:`;

/** A team's supervisor: sends workers, reports what they found. */
export const teamSupervisorBehaviour: RoleBehaviour = {
  system({ userMessage, topology }, { binding, team }) {
    if (!team) throw new Error('a team supervisor without a team');
    return writeBrief(withOwn(binding.prompt, PROMPT), {
      role: 'team_supervisor',
      userMessage,
      team: team.name,
      nodes: briefNodes(topology, team.nodes),
      workers: team.workers.map(({ name, node }) => ({ name, node })),
    });
  },
  tools: (_, { team }) => [dispatchWorker(team?.workers ?? []), reportTool('below')],
};
