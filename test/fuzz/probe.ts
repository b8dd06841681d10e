import type { TopologyNode } from '../../src/domain/topology/topology.js';
import { SourceError } from '../../src/sources/http/source-error.js';
import { UnmeasuredError } from '../../src/tools/unmeasured-error.js';
import { PROBE_POLICY } from '../../src/tools/probe-policy.js';
import type { Tool } from '../../src/tools/tool.js';
import { contextOf, Loopback } from '../support/loopback.js';

/** Characters of a result; the log and the prompts of models hold it. */
const MOST = 16_384;
const CONTROLS = /\p{Cc}/u;

/**
 * Runs a tool against a node, and checks that what comes back is a bounded result, or says in
 * bounds why nothing was measured, whatever the node has answered.
 */
export async function probe(tool: Tool, node: TopologyNode, dnsPort = 53): Promise<void> {
  const policy = { ...PROBE_POLICY, dnsPorts: [dnsPort] };
  const args = { ...tool.argsFor(node), ...(tool.name === 'http_probe' && { tries: 1 }) };
  const result = await tool
    .run(args, contextOf(node, { policy }))
    .catch((error: unknown) => ({ summary: reasonOf(error) }));
  expectBounded(result);
  if (CONTROLS.test(result.summary)) throw new Error(`control characters: ${result.summary}`);
}

/** Runs work with servers of its own: other inputs are fed meanwhile. */
export async function withServers(work: (loopback: Loopback) => Promise<void>): Promise<void> {
  const loopback = new Loopback();
  try {
    await work(loopback);
  } finally {
    await loopback.close();
  }
}

/** @throws an error that does not say why a node is unchecked */
function reasonOf(error: unknown): string {
  if (error instanceof SourceError || error instanceof UnmeasuredError) return error.message;
  throw error;
}

/** @throws where the parts of a result are too large for the log */
export function expectBounded(result: object): void {
  const text = JSON.stringify(result);
  if (text.length > MOST) throw new Error(`a result of ${text.length} characters`);
}
