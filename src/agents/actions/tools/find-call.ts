import type { OpenCall } from '../../../domain/blackboard.js';
import { isWhole, READ_AGAIN } from '../../../domain/context/view.js';
import type { TopologyNode } from '../../../domain/topology/topology.js';
import { clip } from '../../../lib/text.js';
import type { Tool } from '../../../tools/tool.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import type { AgentSession } from '../../runtime/agent-session.js';
import { checkArgs } from '../../runtime/check-args.js';
import { reachOf } from './reach.js';
import { REMIND_SELF } from './remind-self.js';

/** A valid call: its tool, its parsed arguments, and the node that they name. */
export interface FoundCall {
  tool: Tool;
  args: { node: string };
  node: TopologyNode;
}

/** The diagnostic tool of a call and its node, or why the call is refused, for the model. */
export function findCall(
  session: AgentSession,
  tools: ToolRegistry,
  call: OpenCall,
): FoundCall | { refusal: string } {
  const { spec, place, role } = session;
  const allowed =
    call.by_service === true
      ? spec.topology.teams.flatMap(({ workers }) => workers.flatMap((worker) => worker.tools))
      : (role.diagnostic?.(spec) ?? place.worker?.tools ?? []);
  const tool = allowed.includes(call.tool) ? tools.get(call.tool) : undefined;
  if (!tool)
    return {
      refusal: `There is no tool "${call.tool}" here. Tools: ${offered(session).join(', ')}`,
    };
  if (tool.access === 'change' && spec.repair !== true)
    return { refusal: `${tool.name} changes its target, and this run may not change anything.` };
  const reach = reachOf(spec.topology, place, tool.access);
  const names = reach.map(({ id }) => id).join(', ');
  if (call.args['node'] === undefined)
    return { refusal: `node: it is missing; give one of: ${names}` };
  const checked = checkArgs(tool.args, call.args);
  if ('fault' in checked) return { refusal: checked.fault };
  const { args } = checked;
  const node = reach.find(({ id }) => id === args.node);
  if (!node) {
    return {
      refusal: `node: "${clip(args.node, 100)}" is not a node that you may look at. Nodes: ${names}`,
    };
  }
  if (!tool.appliesTo(node, spec.topology.sources)) return { refusal: unfit(tool, node) };
  return { tool, args, node };
}

const unfit = ({ access, name }: Tool, { id, kind }: TopologyNode): string =>
  access === 'change'
    ? `${name} cannot change ${id}: its attributes do not say how.`
    : `${name} does not fit ${id}, which is a ${kind}.`;

/** Names of the tools that are offered to an agent's model. */
const offered = ({ role, spec, place, board }: AgentSession): string[] => [
  ...role.tools(spec, place).map(({ name }) => name),
  ...(place.type === 'oracle' ? [REMIND_SELF.name] : []),
  ...(isWhole(board.view) ? [] : [READ_AGAIN]),
];
