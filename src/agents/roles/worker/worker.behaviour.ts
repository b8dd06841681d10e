import { writeBrief } from '../../../domain/diagnosis/brief.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import { reportTool } from '../../runtime/control-tools.js';
import { functionTool } from '../../runtime/conversation.js';
import { EVIDENCE_RULE, withOwn } from '../prompts.js';
import type { RoleBehaviour } from '../role-behaviour.js';

const PROMPT = `You look at one node of a system with diagnostic tools, and report what is wrong with it.
Call the tools, all that can be called at once together. Look again where a result leaves a question open. Then call \`report\`.
${EVIDENCE_RULE}
Your place, as JSON:`;

/** A worker: one node, its tools, a report. */
export const workerBehaviour = (tools: ToolRegistry): RoleBehaviour => ({
  system({ userMessage, topology }, { binding, worker }) {
    const node = topology.nodes.find((candidate) => candidate.id === worker?.node);
    if (!node || !worker) throw new Error('a worker without a node');
    const firstLook = worker.tools.flatMap((name) => {
      const tool = tools.get(name);
      return tool?.appliesTo(node, topology.sources) && !tool.onDemand
        ? [{ tool: name, args: tool.argsFor(node) }]
        : [];
    });
    const { id, name, kind, dependsOn, attributes } = node;
    return writeBrief(withOwn(binding.prompt, PROMPT), {
      role: 'worker',
      userMessage,
      node: { id, name, kind, dependsOn, attributes },
      firstLook,
    });
  },
  tools(_spec, { worker }) {
    const own = (worker?.tools ?? []).flatMap((name) => {
      const tool = tools.get(name);
      return tool ? [functionTool(name, tool.description, tools.schemaOf(name))] : [];
    });
    return [...own, reportTool('below')];
  },
});
