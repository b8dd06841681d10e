import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { readClusterState } from '../../sources/elasticsearch/read-cluster-state.js';
import { nodeArgument } from '../arguments.js';
import { slowMsOf } from '../attributes.js';
import { clean } from '../net/endpoint.js';
import { toolResult, worstIssues } from '../result.js';
import { ofSource, servedFault } from '../served-fault.js';
import { selectedServer, selectsFrom } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';
import { judgeElasticsearch } from './elasticsearch-judgement.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * The state of a cluster of Elasticsearch or OpenSearch, with the credential of SOURCES_FILE. One
 * that refuses it is a `SourceError` `refused`: the node is unchecked. Attribute: `slowMs`.
 */
export const elasticsearchInspect: Tool<Args> = {
  name: 'elasticsearch_inspect',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 8 * 2 ** 20,
  args,
  appliesTo: (node, sources) =>
    node.kind === 'elasticsearch' &&
    (isRecorded(sources) || selectsFrom(node, 'elasticsearch-cluster', sources)),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal } = context;
  const { id, server } = selectedServer(context, 'elasticsearch-cluster');
  const target = new URL(server.endpoint).host;
  const measured = { target, source: id };
  const slowMs = slowMsOf(node);
  try {
    const state = await readClusterState(server, signal);
    const { measurements, issues, judged } = judgeElasticsearch(state, slowMs);
    const { shown, leftOff } = worstIssues(issues.map((issue) => cleaned(issue, node)));
    const first = shown.find(({ severity }) => severity !== 'info');
    const summary = `${target}: ${first?.title ?? `green, ${state.health.number_of_nodes} nodes, all values within their limits`}`;
    const all = { ...measured, ...measurements, issues_left_off: leftOff };
    return toolResult(summary, all, shown, judged);
  } catch (error) {
    signal.throwIfAborted();
    const expected = 'the API of an Elasticsearch';
    const issue = cleaned(servedFault(ofSource(id, error), { target, expected }), node);
    return toolResult(`${target}: ${issue.title}`, { ...measured, error: issue.title }, [issue]);
  }
}

const cleaned = (issue: Issue, node: TopologyNode): Issue => ({
  ...issue,
  title: clean(issue.title, node, 200),
  detail: clean(issue.detail, node, 500),
});
