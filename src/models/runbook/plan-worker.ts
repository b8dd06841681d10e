import type { Brief } from '../../domain/prompt/brief.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import { findingsOf, measuredBy } from '../../domain/diagnosis/findings-of.js';
import { isNotRecorded } from '../../domain/diagnosis/measurement.js';
import { asText, isJsonObject, textOf, type JsonObject } from '../../lib/json.js';
import { count, list, type ToolAnswer, type Plan } from './plan.js';

/** Tools to try if a node does not answer: they show whether the name or the port is at fault. */
const WHEN_UNREACHABLE = ['dns_lookup', 'tcp_probe'];

type WorkerBrief = Extract<Brief, { role: 'worker' }>;

/** Plans a turn of a worker: measure the node, try further tools if it did not answer, report. */
export function planWorker(
  brief: WorkerBrief,
  answers: readonly ToolAnswer[],
  tools: ReadonlySet<string>,
): Plan {
  const { node } = brief;
  if (answers.length === 0 && brief.firstLook.length > 0) {
    const names = list(brief.firstLook.map((call) => call.tool));
    return {
      reasoning: `${node.name} is of kind ${node.kind}: a first look with ${names}.`,
      text: '',
      calls: brief.firstLook,
    };
  }

  const done = answers.filter((answer) => !answer.failed);
  const measured = done.map(({ tool, id, output }) => measuredBy(tool, id, output));
  const called = new Set(answers.map((answer) => answer.tool));
  const unreachable = measured.some(({ issues }) =>
    issues.some(({ symptom }) => symptom === 'unreachable' || symptom === 'nameless'),
  );
  const more = unreachable
    ? WHEN_UNREACHABLE.filter((tool) => tools.has(tool) && !called.has(tool))
    : [];
  if (more.length > 0)
    return {
      reasoning: `${node.name} did not answer; ${list(more)} will show whether the name or the port fails.`,
      text: '',
      calls: more.map((tool) => ({ tool, args: { node: node.id } })),
    };

  if (measured.length === 0) {
    const why = answers.length === 0 ? whyNoTool(brief) : whyUnmeasured(answers);
    const summary = `${node.name} could not be checked: ${why}.`;
    return {
      reasoning: '',
      text: summary,
      calls: [{ tool: 'report', args: { status: 'failed', summary, findings: [] } }],
    };
  }
  if (done.every(({ output }) => isNotRecorded(output as JsonObject))) {
    const summary = nothingRecorded(node.name);
    return {
      reasoning: '',
      text: summary,
      calls: [{ tool: 'report', args: { summary, findings: [] } }],
    };
  }
  const findings = findingsOf(node.id, measured);
  const summary = `${node.name}: ${done.map(({ output }) => textOf(output as JsonObject, 'summary')).join('; ')}.`;
  return {
    reasoning: reasonFor(node.name, findings),
    text: summary,
    calls: [{ tool: 'report', args: { summary, findings: findings } }],
  };
}

/** Why no called tool could measure, from the message of the first that failed. */
function whyUnmeasured(answers: readonly ToolAnswer[]): string {
  const said = answers.flatMap(({ tool, output }) => {
    const error = isJsonObject(output) ? textOf(output, 'error') : asText(output ?? '');
    return error === '' ? [] : `${tool}: ${error}`;
  })[0];
  return said === undefined ? 'no tool could measure it' : `no tool could measure it (${said})`;
}

/** Why no tool was called. */
function whyNoTool({ lacks = {} }: WorkerBrief): string {
  const needs = Object.entries(lacks).map(
    ([tool, names]) =>
      `${tool} needs the ${names.length === 1 ? 'attribute' : 'attributes'} ${list(names)}`,
  );
  return needs.length === 0 ? 'no tool supports it' : `${list(needs)} in the topology`;
}

/** The report of a worker whose node has no data in any source. */
export const nothingRecorded = (name: string): string => `No data about ${name} was recorded.`;

function reasonFor(name: string, findings: readonly Pick<Finding, 'severity'>[]): string {
  if (findings.length === 0) return `All measurements of ${name} are within their limits.`;
  // Telemetry of one node shows that something changed, but not which node is at fault.
  if (findings.every(({ severity }) => severity === 'info'))
    return `${name}: ${count(findings.length, 'observation')} that alone ${findings.length === 1 ? 'does' : 'do'} not show a fault.`;
  const worst = findings.some((finding) => finding.severity === 'critical')
    ? 'is failing'
    : 'is degraded';
  return `${name} ${worst}: ${count(findings.length, 'finding')}.`;
}
