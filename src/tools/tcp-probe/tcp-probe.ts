import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { DEFAULT_TRIES, nodeArgument, triesArgument } from '../arguments.js';
import { slowMsOf, timeoutMsOf } from '../attributes.js';
import { connectTcp, withPlace } from '../net/connect.js';
import { type HostPort, hostPortOf, showHostPort } from '../net/endpoint.js';
import { classify, type NetworkFault } from '../net/network-error.js';
import { failureIssues, repeat } from '../net/repeat.js';
import { atMost, round, slowIssue, spread, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { within } from '../net/within.js';

const KINDS = new Set(['tcp', 'redis', 'postgres', 'mysql', 'rabbitmq', 'kafka', 'tls', 'service']);
const args = z.strictObject({ node: nodeArgument, tries: triesArgument });
type Args = z.infer<typeof args>;

/** Opens and closes TCP connections. Attributes: `slowMs`, `timeoutMs`. */
export const tcpProbe: Tool<Args> = {
  name: 'tcp_probe',
  access: 'read',
  measures: () => 'transport',
  repeatable: true,
  args,
  appliesTo: (node) => KINDS.has(node.kind) && hostPortOf(node) !== undefined,
  argsFor: (node) => ({ node: node.id, tries: DEFAULT_TRIES }),
  run,
};

interface Attempt {
  connectMs?: number;
  address?: string;
  fault?: NetworkFault;
}

async function run({ tries = DEFAULT_TRIES }: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal } = context;
  const target = hostPortOf(node);
  if (!target)
    throw new Error(`tcp_probe needs a node with an endpoint host:port; ${node.id} has none`);
  const timeoutMs = timeoutMsOf(node);
  const slowMs = slowMsOf(node);
  const attempts = await repeat(
    { tries, timeoutMs, signal },
    () => withPlace(context, target, () => open(target, timeoutMs, context)),
    ({ fault }) => fault !== undefined,
  );

  const connect = spread(attempts.flatMap(({ connectMs }) => connectMs ?? []));
  const failures = attempts.flatMap(({ fault }) => (fault ? { ...fault, fault: fault.kind } : []));
  const issues: Issue[] = failureIssues(
    failures,
    attempts.length,
    `a connection to ${showHostPort(target)}`,
  );
  if (connect) {
    const how = `The median connect time of ${attempts.length} tries was`;
    issues.push(...slowIssue('accepts connections', connect.median, slowMs, how));
  }
  const partly =
    failures.length === 0
      ? ''
      : `; ${failures.length} of ${attempts.length} tries failed: ${failures[0]?.text}`;
  const summary = connect
    ? `${showHostPort(target)} accepts connections in ${connect.median} ms (median of ${attempts.length})${partly}`
    : `${showHostPort(target)}: ${failures[0]?.text} (${attempts.length} of ${attempts.length} tries)`;
  const measurements = {
    target: showHostPort(target),
    tries: attempts.length,
    failed_tries: failures.length,
    connect_ms: connect,
    addresses: [...new Set(attempts.flatMap(({ address }) => address ?? []))],
    ...(failures.length > 0 && { errors: [...new Set(failures.map(({ text }) => text))] }),
  };
  const judged = connect ? atMost('connect_ms', connect.median, slowMs) : [];
  return {
    ...toolResult(summary, measurements, issues, judged),
    samples: attempts.map(({ connectMs, fault }) => ({
      ...(connectMs !== undefined && { ms: round(connectMs) }),
      ...(fault && { error: fault.text }),
    })),
  };
}

async function open(
  target: HostPort,
  timeoutMs: number,
  { signal, policy }: ToolContext,
): Promise<Attempt> {
  const started = performance.now();
  try {
    return await within(signal, timeoutMs, async (own) => {
      const socket = await connectTcp(target, policy.egress, own);
      return {
        connectMs: performance.now() - started,
        ...(socket.remoteAddress !== undefined && { address: socket.remoteAddress }),
      };
    });
  } catch (error) {
    signal.throwIfAborted();
    return { fault: classify(error, 'connect') };
  }
}
