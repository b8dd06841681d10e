import type { z } from 'zod';
import type { Measures, ToolFacts, ToolResult } from '../domain/diagnosis/tool-result.js';
import type { ApprovedTool } from '../sources/mcp/tool-definition.js';
import type { SourceSet } from '../sources/source-set.js';
import type { TopologyNode, TopologySource } from '../domain/topology/topology.js';
import type { ProbePolicy } from './probe-policy.js';
import type { UnmeasuredError } from './unmeasured-error.js';

/** The target of a tool, and the means that it may use. */
export interface ToolContext {
  /**
   * The node that `args.node` names, with its endpoint: the only target that the tool may reach.
   */
  node: TopologyNode;
  /** All nodes of the topology: allowed targets of redirects, and names in answers. */
  nodes: readonly TopologyNode[];
  /** Fires on cancel and on timeout. A tool stops all its I/O when it does, and rejects. */
  signal: AbortSignal;
  /**
   * Identifies the call: the same when it is repeated after a crash. A tool that changes its target
   * passes it on, so that the target executes the change once.
   */
  operation: string;
  /** The message that started the run: of a person, an alert or a schedule, never of a model. */
  problem: string;
  /** Telemetry of the topology; absent if it names no sources. */
  sources?: SourceSet;
  /** The targets and local data beyond endpoints that an operator allows. */
  policy: ProbePolicy;
  /**
   * Waits for a place among the connections to a host; this time is not the target's. Use
   * `withPlace` of net/connect.
   * @returns gives it back
   * @throws the signal's reason; UnmeasuredError
   */
  enter(host: string, port: number): Promise<() => Promise<void>>;
  /**
   * Whether the tool will run once more because of this time-out, which delays of this process may
   * explain: what it means is asked then, so that no connection lies between two looks.
   */
  looksAgain?(waitedMs: number): boolean;
}

/** Why an operator does not allow something to a tool. */
export interface Denial {
  /** The field of the node that requires it: `attributes.server`. */
  field: string;
  error: UnmeasuredError;
}

/**
 * A diagnostic tool. It takes the id of a node, never an address: it reaches only what the topology
 * names, and no credential passes through a model or the log.
 */
export interface Tool<Args extends { node: string } = { node: string }> extends ToolFacts {
  /** ^[a-z][a-z0-9_]*$ */
  name: string;
  /** For a tool that a program adds; those of the service are described in prompts/tools.yaml. */
  description?: string;
  /**
   * `read` only measures; `change` alters its target, and runs only after a person has approved the
   * call.
   */
  access: 'read' | 'change';
  /**
   * For a tool that changes its target: what will be done and where, which the approval is about,
   * and the risk; a sentence each.
   */
  change?(node: TopologyNode): { message: string; risk: string };
  /** What its results show about a node. */
  measures(node: Pick<TopologyNode, 'kind'>): Measures;
  /**
   * The arguments that select what is measured of the node; default none. Others define how it is
   * measured, such as `tries`. A later result replaces an earlier one only if it has the same.
   */
  subject?: readonly string[];
  /** Whether an interrupted call may be repeated. */
  repeatable: boolean;
  /** Maximum bytes that a run may hold; default 512 KiB. All probes of a process share a budget. */
  holds?: number;
  /** Arguments; shown to models and at `GET /tools` as JSON Schema. */
  args: z.ZodType<Args>;
  /**
   * Whether it can measure anything about this node. Used to derive workers and to check
   * topologies.
   */
  appliesTo(node: TopologyNode, sources?: readonly TopologySource[]): boolean;
  /**
   * Why this process does not allow it for a node, as far as the node alone shows it. The registry
   * does not run it then.
   */
  denied?(node: TopologyNode, policy: ProbePolicy): Denial | undefined;
  /** Measures the target itself: for a recorded incident, a captured result replaces it. */
  replayable?: true;
  /** The tool of an MCP server that it calls, as the operator approved it. */
  calls?: ApprovedTool;
  /** Whether it is not part of a first look at this node, because its arguments need a question. */
  onDemand?(node: TopologyNode): boolean;
  /**
   * Waits for shared work that is not the tool's own, such as the reading of a recording: this time
   * does not count against the limit of the call, only against that of the run. Its errors are
   * reported by `run`.
   */
  ready?(context: ToolContext): Promise<unknown>;
  /** Arguments for a first look at this node. */
  argsFor(node: TopologyNode): Args;
  /**
   * @throws any error that kept the tool from its work; becomes `status: "error"` of the tool
   *   result, never a crash.
   */
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}
