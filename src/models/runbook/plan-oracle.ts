import type { Brief } from '../../domain/brief.js';
import type { Report } from '../../domain/finding.js';
import type { Json, JsonObject } from '../../domain/json.js';
import { findingsOf } from '../../domain/rules.js';
import type { ToolResult } from '../../domain/tool-result.js';
import { count, list, type Answer, type Plan } from './plan.js';

type OracleBrief = Extract<Brief, { role: 'oracle' }>;
type Call = Plan['calls'][number];

const HELP =
  'I can tell you about topologies and past diagnoses, and start new ones. Ask for example: "list the topologies", "list the runs", "what was the last root cause of topology 1", "what happened in the last run", "diagnose topology 1".';

const DIAGNOSE = /^\s*(please\s+)?(can you\s+|could you\s+)?(diagnose|investigate|run a diagnosis|start (a |the )?diagnosis)\b/i;
const NAVIGATE = /\b(?:open|go to|navigate to|take me to)\s+(?:the\s+)?([a-z]+)(?:\s+page)?/i;
const LOG = /\b(logs?|events?|what happened)\b/i;
const PAST = /\b(last|latest|previous|past|recent|root causes?|reports?|findings?|result|wrong|cause)\b/i;
const RUNS = /\b(runs|diagnoses|executions|history)\b/i;
const TOPOLOGIES = /\b(topologies|systems)\b/i;
const CHECK = /\b(check|probe|is|are|how)\b/i;

/** The oracle's turn: what the question asks for by its words is looked up, and told. */
export function planOracle(brief: OracleBrief, answers: readonly Answer[], tools: ReadonlySet<string>): Plan {
  const last = answers.at(-1);
  if (last) return goOn(answers, last);
  const first = firstCalls(brief).filter(({ tool }) => tools.has(tool));
  if (first.length === 0) return say(HELP);
  const reasoning = brief.thinking ? `The question is answered by ${list([...new Set(first.map(({ tool }) => tool))])}.` : '';
  return { reasoning, text: '', calls: first };
}

const say = (text: string): Plan => ({ reasoning: '', text, calls: [] });
const call = (tool: string, args: JsonObject): Plan => ({ reasoning: '', text: '', calls: [{ tool, args }] });

function firstCalls({ userMessage, topology }: OracleBrief): Call[] {
  const named = /\btopology\s+(?:#|no\.?\s*)?(\d{1,15})\b/i.exec(userMessage)?.[1];
  const topologyId = named === undefined ? topology?.id : Number(named);
  const of: JsonObject = topologyId === undefined ? {} : { topology_id: topologyId };
  const runId = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/.exec(userMessage)?.[0];
  const page = NAVIGATE.exec(userMessage)?.[1];
  if (page !== undefined) return [{ tool: 'navigate_to_page', args: { page: page.toLowerCase() } }];
  if (DIAGNOSE.test(userMessage))
    return topologyId === undefined
      ? [{ tool: 'list_topologies', args: {} }]
      : [{ tool: 'start_diagnosis', args: { topology_id: topologyId, problem: userMessage } }];
  if (runId !== undefined)
    return [LOG.test(userMessage) ? { tool: 'read_log', args: { run_id: runId } } : { tool: 'get_run', args: { run_id: runId } }];
  const lower = userMessage.toLowerCase();
  const nodes = topology?.nodes.filter(({ id, name }) => lower.includes(name.toLowerCase()) || lower.split(/[^\w-]+/).includes(id)) ?? [];
  if (nodes.length > 0 && CHECK.test(userMessage) && !PAST.test(userMessage)) return nodes.flatMap(({ firstLook }) => firstLook);
  // With one of the last runs, the newest that has ended is looked at next.
  if (LOG.test(userMessage) || PAST.test(userMessage)) return [{ tool: 'list_runs', args: { ...of, status: 'completed', limit: 1 } }];
  if (RUNS.test(userMessage)) return [{ tool: 'list_runs', args: { ...of, limit: 10 } }];
  if (TOPOLOGIES.test(userMessage)) return [{ tool: 'list_topologies', args: {} }];
  return topologyId === undefined ? [] : [{ tool: 'get_topology', args: of }];
}

function goOn(answers: readonly Answer[], last: Answer): Plan {
  if (last.failed) return say(`I could not find that out: ${last.tool} did not work. ${textOf(last.output)}`.trim());
  const output = last.output as JsonObject;
  switch (last.tool) {
    case 'list_topologies':
      return say(topologiesText(output['topologies'] as JsonObject[]));
    case 'get_topology':
      return say(topologyText(output));
    case 'list_runs':
      return runsNext(last.args, output['runs'] as JsonObject[]);
    case 'get_run':
      return say(runText(output));
    case 'read_log':
      return say(logText(output));
    case 'start_diagnosis':
    case 'follow_diagnosis':
      return diagnosisNext(answers, output);
    case 'navigate_to_page':
      return say(`Opening ${textOf(output['page'])}.`);
    default:
      return say(measuredText(answers));
  }
}

/** A text or a number as it is; else nothing. */
const textOf = (value: Json | undefined): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

function topologiesText(topologies: readonly JsonObject[]): string {
  if (topologies.length === 0) return 'There is no topology yet: POST one to /api/service/v1/topologies.';
  const lines = topologies.map(({ id, name, nodes }) => `- ${textOf(id)}: ${textOf(name)} (${count(Number(nodes), 'node')})`);
  return `There ${topologies.length === 1 ? 'is one topology' : `are ${topologies.length} topologies`}:\n${lines.join('\n')}`;
}

function topologyText({ id, name, nodes }: JsonObject): string {
  const all = nodes as { name: string; kind: string }[];
  return `Topology ${textOf(id)}, ${textOf(name)}, has ${count(all.length, 'node')}: ${list(all.map((node) => `${node.name} (${node.kind})`))}.`;
}

/** One that was asked for alone is looked at more closely. */
function runsNext(args: JsonObject, runs: readonly JsonObject[]): Plan {
  const [first] = runs;
  if (!first) return say('There is no such diagnosis yet. Ask me to "diagnose topology N".');
  if (args['limit'] === 1) return call('get_run', { run_id: first['run_id'] ?? '' });
  const lines = runs.map(
    (run) => `- ${textOf(run['run_id'])}: ${textOf(run['topology_name'])}, ${textOf(run['status'])}. ${textOf(run['summary'])}`,
  );
  return say(`The last diagnoses:\n${lines.join('\n')}`);
}

function runText({ run_id, topology_id, topology_name, status, ended_at, summary, report }: JsonObject): string {
  const about = `Run ${textOf(run_id)} of topology ${textOf(topology_id)} (${textOf(topology_name)})`;
  if (report === null || report === undefined) return `${about} is ${textOf(status)}. ${textOf(summary)}`.trim();
  const { root_causes, findings, unchecked } = report as unknown as Report;
  const causes = root_causes.map(
    ({ node, title, confidence, evidence }) =>
      `- Root cause: ${node}: ${title} (confidence ${Math.round(confidence * 100)} %, events ${evidence.join(', ')}).`,
  );
  const known = new Set(root_causes.map(({ node, title }) => `${node} ${title}`));
  const others = findings
    .filter(({ node, title }) => !known.has(`${node} ${title}`))
    .map(({ node, severity, title, evidence }) => `- ${severity}: ${node}: ${title} (events ${evidence.join(', ')}).`);
  const blind = unchecked.length > 0 ? [`- Not checked: ${list(unchecked.map(({ node }) => node))}.`] : [];
  const ended = ended_at === null || ended_at === undefined ? '' : ` at ${textOf(ended_at)}`;
  const lines = [`${about} ${textOf(status)}${ended}. ${textOf(summary)}`, ...causes, ...others, ...blind];
  if (causes.length === 0) lines.push('No root cause was found.');
  return lines.join('\n');
}

function logText({ run_id, events }: JsonObject): string {
  const all = events as { sequence: number; excerpt: string }[];
  if (all.length === 0) return `The log of run ${textOf(run_id)} has nothing there.`;
  return `From the log of run ${textOf(run_id)}:\n${all.map(({ sequence, excerpt }) => `- ${sequence}: ${excerpt.slice(0, 160)}`).join('\n')}`;
}

/** How often the runbook waits on for a diagnosis. */
const PATIENCE = 3;

function diagnosisNext(answers: readonly Answer[], output: JsonObject): Plan {
  if ('report' in output) return say(runText(output));
  const { run_id = '', last_sequence = 0 } = output;
  const followed = answers.filter(({ tool }) => tool === 'follow_diagnosis').length;
  if (followed < PATIENCE) return call('follow_diagnosis', { run_id, after: last_sequence });
  return say(`The diagnosis is still going on: run ${textOf(run_id)}. Ask me for its result later.`);
}

/** What diagnostic tools have measured, by node. */
function measuredText(answers: readonly Answer[]): string {
  const lines = answers
    .filter(({ failed }) => !failed)
    .map(({ id, tool, args, output }) => {
      const result = output as unknown as ToolResult;
      const node = textOf(args['node']);
      const findings = findingsOf(node, [{ tool, evidence: id, result }]);
      return `- ${node}: ${result.summary}${findings.length > 0 ? ` (${list(findings.map(({ title }) => title))})` : ''}`;
    });
  return lines.length === 0 ? 'No tool could measure that.' : `Measured just now:\n${lines.join('\n')}`;
}
