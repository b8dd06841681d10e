import type { NamedEvent } from '../../domain/events/event.js';
import type { Hierarchy } from '../../domain/topology/hierarchy.js';
import type { JsonObject } from '../../lib/json.js';

export interface KnownNode {
  id: string;
  name: string;
  dependsOn: string[];
}

/** A tool result that a finding may cite. */
export interface KnownResult {
  tool: string;
  node: string | undefined;
  summary: string;
}

/** The facts of a run so far, to which later lines refer: a fold over its events. */
export class RunFacts {
  runId = '';
  topologyId: number | null = null;
  topologyName = '';
  version = 0;
  startedAt = 0;
  teams = 0;
  toolCalls = 0;
  tokens = 0;
  /** In the currency of the models' prices, if they have any. */
  cost: number | undefined;
  /** Name and team of each agent, from the topology. */
  agents: { name: string; team: string | null }[] = [];
  readonly nodes = new Map<string, KnownNode>();
  readonly results = new Map<number, KnownResult>();
  /** Arguments of each tool call, by its id. */
  readonly calls = new Map<string, JsonObject>();
  /** When each dispatch was made, in ms, by its id. */
  readonly dispatchedAt = new Map<string, number>();

  add(event: NamedEvent): void {
    const at = Date.parse(event.timestamp);
    switch (event.name) {
      case 'lifecycle.started':
        this.runId = event.run_id;
        this.startedAt = at;
        this.topologyId = event.data.topology_id;
        this.topologyName = event.data.topology_name ?? '';
        break;
      case 'system.topology':
        this.#addHierarchy(event.data.hierarchy as unknown as Hierarchy);
        break;
      case 'dispatch.team':
      case 'dispatch.worker':
        this.dispatchedAt.set(event.data.dispatch_id, at);
        break;
      case 'llm.tool_call':
        this.toolCalls += 1;
        this.calls.set(event.data.tool_call_id, event.data.args);
        break;
      case 'llm.tool_result': {
        const { tool, tool_call_id, result, status } = event.data;
        const node = this.calls.get(tool_call_id)?.['node'];
        this.results.set(event.sequence, {
          tool,
          node: typeof node === 'string' ? node : undefined,
          summary: summaryOf(result, status),
        });
        break;
      }
      case 'llm.usage':
        this.tokens = event.data.total_tokens;
        if (event.data.cost !== undefined) this.cost = (this.cost ?? 0) + event.data.cost;
        break;
      case 'lifecycle.completed':
      case 'lifecycle.failed':
      case 'lifecycle.cancelled':
      case 'llm.stream':
      case 'llm.reasoning':
      case 'dispatch.report':
      case 'system.warning':
      case 'system.error':
      case 'system.approval':
      case 'system.decision':
        break;
    }
  }

  /** The name of a node for people. */
  nodeName(id: string): string {
    return this.nodes.get(id)?.name ?? id;
  }

  #addHierarchy({ version, global_supervisor, teams, nodes }: Hierarchy): void {
    this.version = version;
    this.teams = teams.length;
    for (const { id, name, depends_on } of nodes)
      this.nodes.set(id, { id, name, dependsOn: depends_on });
    this.agents = [{ name: global_supervisor.agent_name, team: null }];
    for (const { team_name: team, supervisor, workers } of teams)
      for (const agent of [supervisor, ...workers])
        this.agents.push({ name: agent.agent_name, team });
  }
}

/** A tool result in one line: its summary, or the error if the tool failed. */
export function summaryOf(result: unknown, status: string): string {
  if (typeof result === 'string' && result !== '') return result;
  if (typeof result === 'object' && result !== null && !Array.isArray(result)) {
    const { summary, error, message } = result as Record<string, unknown>;
    for (const text of [summary, message, error])
      if (typeof text === 'string' && text !== '') return text;
  }
  return status;
}
