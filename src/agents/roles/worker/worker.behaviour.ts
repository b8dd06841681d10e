import { shownAttributes } from '../../../domain/topology/node-attributes.js';
import type { ToolRegistry } from '../../../tools/tool-registry.js';
import { reportTool } from '../../runtime/control-tools.js';
import { reachOf } from '../../actions/tools/reach.js';
import { firstLookAt } from '../brief-nodes.js';
import type { RoleBehaviour } from '../role-behaviour.js';

/** A worker: one node, its tools, a report. */
export const workerBehaviour = (tools: ToolRegistry): RoleBehaviour => ({
  brief({ topology }, { worker }) {
    const node = topology.nodes.find((candidate) => candidate.id === worker?.node);
    if (!node || !worker) throw new Error('a worker without a node');
    const own = worker.tools.flatMap((name) => tools.get(name) ?? []);
    const { id, name, kind, dependsOn, attributes } = node;
    const reach = reachOf(topology, { worker }, 'read').map((each) => each.id);
    const others = reach.filter((each) => each !== id);
    const lacks = own.flatMap((tool): [string, string[]][] => {
      const missing = tool.appliesTo(node, topology.sources) ? (tool.lacks?.(node) ?? []) : [];
      return missing.length > 0 ? [[tool.name, missing]] : [];
    });
    return {
      role: 'worker',
      node: { id, name, kind, dependsOn, attributes: shownAttributes(attributes) },
      ...(others.length > 0 && { reach: others }),
      firstLook: firstLookAt(node, own, topology.sources),
      ...(lacks.length > 0 && { lacks: Object.fromEntries(lacks) }),
    };
  },
  tools(_spec, { worker }) {
    const own = (worker?.tools ?? []).flatMap((name) => tools.offer(name) ?? []);
    return [...own, reportTool('below')];
  },
});
