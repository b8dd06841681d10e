import { z } from 'zod';
import type { OfferedTool } from '../domain/prompt/offered-tool.js';
import type { ToolResult } from '../domain/diagnosis/tool-result.js';
import type { Fault } from '../domain/errors.js';
import { abortable, ClosableSignal } from '../lib/async.js';
import { isRecorded } from '../domain/topology/recorded.js';
import type { Topology, TopologyNode } from '../domain/topology/topology.js';
import type { Egress } from '../sources/http/source-server.js';
import type { Sources } from '../sources/sources.js';
import { countedAddress } from './limits/counted-address.js';
import { sourceEgress } from './egress/source-egress.js';
import { LocalConnectionLimiter } from './limits/local-connection-limiter.js';
import { LoopDelay } from './limits/loop-delay.js';
import { MemoryBudget } from './limits/memory-budget.js';
import { ProbePlaces } from './limits/probe-places.js';
import { policyOfTenant, PROBE_POLICY, type ProbePolicy } from './probe-policy.js';
import { replay } from './replay.js';
import { hostPortOf } from './net/endpoint.js';
import { TimeLimitError, within } from './net/within.js';
import { runReliably } from './run-reliably.js';
import { SecretReferences } from './secret-references.js';
import type { Tool, ToolContext } from './tool.js';
import { diagnosticTools } from './tools.js';
import { UnmeasuredError } from './unmeasured-error.js';

/** Bytes that all probes of a process may hold at once. */
const MEMORY = 96 * 2 ** 20;
/** Bytes of a tool that does not say what it holds. */
const HELD = 512 * 1024;

interface ToolCall {
  topology: Topology;
  /** The node that the arguments name. */
  node: TopologyNode;
  signal: AbortSignal;
  /** ms after which the caller gives it up. */
  limitMs: number;
  /** The problem that was asked or reported when the run was started. */
  problem: string;
  runId: string;
  /** Unique among calls; the same for a repeated call. */
  operation: string;
  /** The tenant whose credentials it may use. */
  tenant: string;
}

/**
 * ms before the end of a call at which it waits no longer for a connection, so that its result can
 * say so.
 */
const spareOf = ({ limitMs }: Pick<ToolCall, 'limitMs'>): number => Math.min(1_000, limitMs / 10);

const noPlace = (host: string, { limitMs }: Pick<ToolCall, 'limitMs'>) =>
  new UnmeasuredError(
    `this service found no place among its connections to ${host} within ${limitMs / 1_000} s: other probes of that host were under way`,
  );

/** No credentials to refer to. */
const NO_SECRETS = new SecretReferences({
  secretsDir: undefined,
  secretsAllow: undefined,
  secretOf: () => undefined,
});

/** The diagnostic tools by name, and the one way to run them. */
export class ToolRegistry {
  private readonly byName = new Map<string, { tool: Tool; schema: object }>();
  private readonly memory = new MemoryBudget(MEMORY);
  private readonly delay = new LoopDelay();

  constructor(
    private readonly places = new ProbePlaces(new LocalConnectionLimiter()),
    private readonly policy: ProbePolicy = PROBE_POLICY,
    private readonly sources?: Pick<Sources, 'of'>,
    private readonly secrets = NO_SECRETS,
  ) {
    diagnosticTools.forEach((tool) => this.add(tool));
  }

  /** Takes the place of one with the same name. */
  add(tool: Tool): void {
    this.byName.set(tool.name, { tool, schema: z.toJSONSchema(tool.args, { io: 'input' }) });
  }

  get all(): readonly Tool[] {
    return [...this.byName.values()].map(({ tool }) => tool);
  }

  /** ms that a call which changes its target waits for a person. */
  get approvalMs(): number {
    return this.policy.approvalMs;
  }

  /** How sources connect for the operator. */
  get egress(): Egress {
    return sourceEgress(this.policy.egress, this.places);
  }

  get(name: string): Tool | undefined {
    return this.byName.get(name)?.tool;
  }

  /** A tool as it is offered to a model. */
  offer(name: string): OfferedTool | undefined {
    const found = this.byName.get(name);
    if (!found) return undefined;
    const { tool, schema } = found;
    const { description } = tool;
    return { name, schema, ...(description !== undefined && { description }) };
  }

  /** JSON Schema of a tool's arguments. */
  schemaOf(name: string): object {
    return this.byName.get(name)?.schema ?? {};
  }

  /** References to credentials that a tenant may not use. */
  referenceFaults(topology: Topology, tenant: string): Fault[] {
    return this.secrets.faults(topology, tenant);
  }

  /**
   * The places of a topology that tools may not connect to for its tenant, as far as that is known
   * without resolving names.
   */
  egressFaults({ nodes, sources = [] }: Topology, tenant: string): Fault[] {
    const { egress } = policyOfTenant(this.policy, tenant);
    const places: [string, unknown][] = [
      ...nodes.flatMap(({ endpoint, attributes }, i): [string, unknown][] => [
        [`nodes[${i}].endpoint`, endpoint],
        [`nodes[${i}].attributes.restartUrl`, attributes['restartUrl']],
      ]),
      ...sources.map((source, i): [string, unknown] => [
        `sources[${i}].endpoint`,
        'endpoint' in source ? source.endpoint : undefined,
      ]),
    ];
    return places.flatMap(([path, endpoint]) => {
      const target = typeof endpoint === 'string' ? hostPortOf({ endpoint }) : undefined;
      const rule = target && egress.denialOf(target);
      return rule === undefined ? [] : [{ path, message: `tools may not connect there: ${rule}` }];
    });
  }

  /**
   * Nodes that the policy of this process keeps tools from: another process may have another
   * policy.
   */
  policyWarnings({ nodes, sources }: Topology, tenant: string): Fault[] {
    if (isRecorded(sources)) return [];
    const policy = policyOfTenant(this.policy, tenant);
    return nodes.flatMap((node, index) =>
      this.all.flatMap((tool) => {
        if (tool.denied === undefined || !tool.appliesTo(node, sources)) return [];
        const { field, error } = tool.denied(node, policy) ?? {};
        if (field === undefined) return [];
        const message = `${tool.name} cannot measure the node: ${error?.message}`;
        return [{ path: `nodes[${index}].${field}`, message }];
      }),
    );
  }

  /**
   * Runs a tool within the limits for all probes: connections to a host, bytes held, and a
   * repetition if this process was too busy to measure durations.
   * @param args parsed by the tool's own schema
   * @throws the signal's reason; UnmeasuredError; ConsiliumError if a source of the topology cannot
   *   be opened; errors of the tool
   */
  async run(tool: Tool, args: { node: string }, call: ToolCall): Promise<ToolResult> {
    const ends = new ClosableSignal([call.signal]);
    try {
      return await this.runUntil(ends, tool, args, call);
    } finally {
      ends.close();
    }
  }

  /** @param ends is aborted with what kept the tool from its work */
  private async runUntil(
    ends: ClosableSignal,
    tool: Tool,
    args: { node: string },
    call: ToolCall,
  ): Promise<ToolResult> {
    const until = performance.now() + call.limitMs;
    const { signal } = ends;
    const open = await this.contextOf(tool, { ...call, signal });
    const enter: ToolContext['enter'] = (host, port) => {
      const left = Math.max(1, until - performance.now() - spareOf(call));
      return within(signal, left, () => open.enter(host, port)).catch((error: unknown) => {
        const reason = error instanceof TimeLimitError ? noPlace(host, call) : error;
        ends.abort(reason);
        throw reason;
      });
    };
    const context = { ...open, enter };
    const { probes } = context.sources ?? {};
    if (tool.replayable && probes) return replay(probes, tool.name, args, signal);
    const denied = tool.denied?.(context.node, context.policy);
    if (denied) throw denied.error;
    const free = await this.memory.reserve(tool.holds ?? HELD, signal);
    try {
      // A measurement may be repeated, a change may not.
      const result =
        tool.access === 'change'
          ? await tool.run(args, context)
          : await runReliably((look) => tool.run(args, { ...context, ...look }), {
              delay: this.delay,
              signal,
              until,
            });
      // Whatever the tool returns: a connection that this service refused shows nothing about its
      // target.
      signal.throwIfAborted();
      return result;
    } finally {
      free();
    }
  }

  /** Waits until a tool can begin. @throws the signal's reason */
  async ready(tool: Tool, call: Omit<ToolCall, 'limitMs'>): Promise<void> {
    if (tool.ready === undefined) return;
    const waiting = this.contextOf(tool, call).then((context) => tool.ready?.(context));
    await abortable(
      waiting.catch(() => undefined),
      call.signal,
    );
  }

  private async contextOf(
    tool: Tool,
    { topology, node: given, problem, signal, operation, tenant, runId }: Omit<ToolCall, 'limitMs'>,
  ): Promise<ToolContext> {
    const policy = policyOfTenant(this.policy, tenant);
    const egress = sourceEgress(policy.egress, this.places);
    const sources = await this.sources?.of(topology, egress, { tenant, runId });
    const node = await this.secrets.resolve(given, tenant);
    return {
      node,
      nodes: topology.nodes,
      problem,
      signal,
      operation,
      policy,
      ...(sources && { sources }),
      enter: async (host, port) => {
        const address = await countedAddress({ host, port }, policy.egress);
        return this.places.enter({ host, port, tool: tool.name, address }, signal);
      },
    };
  }
}
