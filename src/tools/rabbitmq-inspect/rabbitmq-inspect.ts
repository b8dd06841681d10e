import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { readRabbitmq } from '../../sources/rabbitmq/read-rabbitmq.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf } from '../attributes.js';
import { clean } from '../net/endpoint.js';
import { toolResult, worstIssues } from '../result.js';
import { ofSource, servedFault } from '../served-fault.js';
import { selectedServer, selectsFrom } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { judgeRabbitmq } from './rabbitmq-judgement.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * The state of a RabbitMQ by its management API, with the credential of SOURCES_FILE. One that
 * refuses it is a `SourceError` `refused`: the node is unchecked. Attributes: `queueMessages`,
 * `slowMs`.
 */
export const rabbitmqInspect: Tool<Args> = {
  name: 'rabbitmq_inspect',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 8 * 2 ** 20,
  args,
  appliesTo: (node, sources) =>
    node.kind === 'rabbitmq' && (isRecorded(sources) || selectsFrom(node, 'rabbitmq', sources)),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal } = context;
  const { id, server, selector } = selectedServer(context, 'rabbitmq');
  const target = new URL(server.endpoint).host;
  const measured = { target, source: id };
  const thresholds = {
    queueMessages: numberAttribute(node, 'queueMessages', 1_000),
    slowMs: slowMsOf(node),
    now: Date.now(),
  };
  try {
    const reading = await readRabbitmq(server, selector === '*' ? undefined : selector, signal);
    if (reading === undefined) {
      const issue = cleaned(missingVhost(selector), node);
      return toolResult(`${target}: ${issue.title}`, { ...measured, error: issue.title }, [issue]);
    }
    const { measurements, issues, judged, hidden } = judgeRabbitmq(reading, thresholds);
    const { shown, leftOff } = worstIssues(issues.map((issue) => cleaned(issue, node)));
    const first = shown.find(({ severity }) => severity !== 'info');
    const summary = first
      ? `${target}: ${first.title}`
      : `${target}: ${reading.queueCount} queues, all values within their limits`;
    const all = { ...measured, ...measurements, issues_left_off: leftOff };
    const result = toolResult(summary, all, shown, judged);
    return hidden === undefined ? result : { ...result, hidden };
  } catch (error) {
    signal.throwIfAborted();
    const expected = 'the management API of a RabbitMQ';
    const issue = cleaned(servedFault(ofSource(id, error), { target, expected }), node);
    return toolResult(`${target}: ${issue.title}`, { ...measured, error: issue.title }, [issue]);
  }
}

const missingVhost = (name: string): Issue => ({
  severity: 'critical',
  symptom: 'invalid',
  kind: 'config',
  steps: 'no-database',
  title: `has no such virtual host: ${name}`,
  detail: 'The name is wrong in `in` of the topology, or the virtual host was deleted.',
});

const cleaned = (issue: Issue, node: TopologyNode): Issue => ({
  ...issue,
  title: clean(issue.title, node, 200),
  detail: clean(issue.detail, node, 500),
});
