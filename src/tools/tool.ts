import type { z } from 'zod';
import type { Measures, ToolFacts, ToolResult } from '../domain/diagnosis/tool-result.js';
import type { ApprovedTool } from '../sources/mcp/tool-definition.js';
import type { SourceSet } from '../sources/source-set.js';
import type { TopologyNode, TopologySource } from '../domain/topology/topology.js';
import type { ProbePolicy } from './probe-policy.js';
import type { UnmeasuredError } from './unmeasured-error.js';

/** What a tool is to look at, and what it may use. */
export interface ToolContext {
  /**
   * The node that `args.node` names, with its endpoint: the only target that the tool may reach.
   */
  node: TopologyNode;
  /** All nodes of the topology: where a redirect may lead, and what an answer may name. */
  nodes: readonly TopologyNode[];
  /** Fires on cancel and on timeout. A tool stops all its I/O when it does, and rejects. */
  signal: AbortSignal;
  /**
   * Names the call: the same when it is made again after a crash. A tool that changes its target
   * hands it over, so that the target carries it out once.
   */
  operation: string;
  /**
   * The words that the run was started with: of a person, an alert or a schedule, never of a model.
   */
  problem: string;
  /** Telemetry of the topology; absent where it names no sources. */
  sources?: SourceSet;
  /** What an operator lets tools look at beyond endpoints. */
  policy: ProbePolicy;
  /**
   * Waits for a place among the connections to a host; the time is not the target's. Use
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

/** What an operator does not let a tool do. */
export interface Denial {
  /** The field of the node that asks for it: `attributes.server`. */
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
  /** Of a tool that a program adds; those of the service are described in prompts/tools.yaml. */
  description?: string;
  /**
   * `read` only looks; `change` alters its target, and runs only after a person has approved the
   * call.
   */
  access: 'read' | 'change';
  /**
   * Of a tool that changes its target: what will be done and where, which the approval is about,
   * and what may go wrong; a sentence each.
   */
  change?(node: TopologyNode): { message: string; risk: string };
  /** What its results say about a node. */
  measures(node: Pick<TopologyNode, 'kind'>): Measures;
  /**
   * The arguments that choose what of the node is looked at; default none. Others say how it is
   * looked at, such as `tries`. A later result takes back an earlier one only if it has the same.
   */
  subject?: readonly string[];
  /** Whether a call that was cut off half-way may be made again. */
  repeatable: boolean;
  /** Bytes that a run may hold at most; default 512 KiB. All probes of a process share a budget. */
  holds?: number;
  /** Arguments; shown to models and at `GET /tools` as JSON Schema. */
  args: z.ZodType<Args>;
  /**
   * Whether it can say anything about this node. Used to derive workers and to check topologies.
   */
  appliesTo(node: TopologyNode, sources?: readonly TopologySource[]): boolean;
  /**
   * Why this process does not let it look at a node, as far as the node alone shows it. The
   * registry does not run it then.
   */
  denied?(node: TopologyNode, policy: ProbePolicy): Denial | undefined;
  /** Looks at the target itself: of a recorded incident, a captured result takes its place. */
  replayable?: true;
  /** The tool of an MCP server that it calls, as the operator approved it. */
  calls?: ApprovedTool;
  /** Whether it is not part of a first look at this node: its arguments need a question. */
  onDemand?(node: TopologyNode): boolean;
  /**
   * Waits for what the tool shares with others and is no work of its own, such as the reading of a
   * recording: its time does not count against the limit of the call, only against that of the run.
   * What goes wrong is reported by `run`.
   */
  ready?(context: ToolContext): Promise<unknown>;
  /** Arguments for a first look at this node. */
  argsFor(node: TopologyNode): Args;
  /**
   * @throws whatever kept the tool from its work; becomes `status: "error"` of the tool result,
   *   never a crash.
   */
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}
