import { z } from 'zod';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { nodeArgument } from '../arguments.js';
import { trustOptionsOf } from '../attributes.js';
import { clean, showUrl, urlIn } from '../net/endpoint.js';
import { exchange } from '../net/http-exchange.js';
import { toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';

/** ms: a process manager answers when the process runs again. */
const TIMEOUT_MS = 20_000;
const MOST_ANSWER = 16 * 1024;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Attribute `restartUrl`: where a process manager takes a `POST` that restarts the process of the
 * node.
 */
const restartUrlOf = (node: TopologyNode): URL | undefined => {
  const url = node.attributes['restartUrl'];
  return typeof url === 'string' ? urlIn(url, 'http:', 'https:') : undefined;
};

/**
 * Asks the process manager of a node to restart its process. The request has an `Idempotency-Key`,
 * which is the same if it is repeated after a crash: a process manager restarts once for each key.
 */
export const restartProcess: Tool<Args> = {
  name: 'restart_process',
  access: 'change',
  scope: 'repair',
  measures: () => 'records',
  repeatable: true,
  args,
  // A recording is over: there is nothing to restart.
  appliesTo: (node, sources) => restartUrlOf(node) !== undefined && !isRecorded(sources),
  argsFor: (node) => ({ node: node.id }),
  change: (node) => ({
    message: `Restart the process of ${node.name}${placeOf(node)}.`,
    risk: `Requests that ${node.name} serves at that moment fail, and what it holds only in memory is lost.`,
  }),
  run,
};

/** Where the request goes, for the person who approves it. */
function placeOf(node: TopologyNode): string {
  const url = restartUrlOf(node);
  return url ? `: POST ${showUrl(url)}` : '';
}

async function run(_: Args, context: ToolContext): Promise<ToolResult> {
  const { node, operation } = context;
  const url = restartUrlOf(node);
  if (!url)
    throw new Error(
      `restart_process needs a node with the attribute restartUrl; ${node.id} has none`,
    );
  const { answer, fault, tookMs } = await exchange(url, {
    context,
    trust: trustOptionsOf(node),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MOST_ANSWER,
    post: { 'idempotency-key': operation },
  });
  if (!answer) throw new Error(`its process manager: ${fault?.text ?? 'no answer'}`);
  const said = clean(answer.body, node, 160);
  if (answer.status < 200 || answer.status > 299)
    throw new Error(
      `its process manager answered ${answer.status}${said === '' ? '' : `: ${said}`}`,
    );
  const took = Math.round(tookMs);
  return toolResult(
    `${node.name} was restarted in ${took} ms`,
    { took_ms: took, ...(said !== '' && { answer: said }) },
    [],
  );
}
