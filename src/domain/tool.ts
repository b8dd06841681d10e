import type { z } from 'zod';
import type { Severity, Symptom } from './finding.js';
import type { JsonObject } from './json.js';
import type { TopologyNode } from './topology.js';

/** Something that a tool saw wrong with its target: what a finding is made of. */
export interface Issue {
  severity: Severity;
  symptom: Symptom;
  /** One line, without the node's name: "answers 502 Bad Gateway". */
  title: string;
  /** What was measured and what was expected, in a sentence or two. */
  detail: string;
}

/** A measurement that has not passed its threshold but is within a tenth of it. */
export interface NearThreshold {
  metric: string;
  value: number;
  threshold: number;
}

/**
 * What a tool returns, and what stands in `llm.tool_result` as `result`. A target found dead is a result like any other
 * (`status: "failed"`); only a tool that could not do its work throws.
 */
export interface ToolResult {
  /** `ok` nothing wrong; `degraded` works, but there is a warning; `failed` does not do its job. */
  status: 'ok' | 'degraded' | 'failed';
  /** One line for a person: "answered 200 in 12 ms (median of 3)". */
  summary: string;
  /** The numbers and texts measured; units in the names (`latency_ms`, `used_bytes`). */
  measurements: JsonObject;
  issues: Issue[];
  near?: NearThreshold[];
}

export interface ToolContext {
  /** The node that `args.node` names, with its endpoint: the only target that the tool may reach. */
  node: TopologyNode;
  /** All nodes of the topology: whom a redirect may lead to. */
  nodes: readonly TopologyNode[];
  /** Fires on cancel and on timeout. A tool stops all its I/O when it does, and rejects. */
  signal: AbortSignal;
}

/**
 * A diagnostic tool. It takes the id of a node, never an address: it reaches only what the topology names, and no
 * credential passes through a model or the log.
 */
export interface Tool<Args extends { node: string } = { node: string }> {
  /** ^[a-z][a-z0-9_]*$ */
  name: string;
  description: string;
  /** `read` only looks; `change` alters its target (none yet: those come with approvals). */
  access: 'read' | 'change';
  /** Whether a call that was cut off half-way may be made again. */
  repeatable: boolean;
  /** Arguments; shown to models and at `GET /tools` as JSON Schema. */
  args: z.ZodType<Args>;
  /** Whether it can say anything about this node. Used to derive workers and to check topologies. */
  appliesTo(node: TopologyNode): boolean;
  /** Arguments for a first look at this node. */
  argsFor(node: TopologyNode): Args;
  /** @throws whatever kept the tool from its work; becomes `status: "error"` of the tool result, never a crash. */
  run(args: Args, context: ToolContext): Promise<ToolResult>;
}
