import type { Finding, RootCause } from '../../../domain/diagnosis/finding.js';
import { count, list } from '../plan.js';
import type { Listed, Row, Run, Shape } from './facts.js';
import { mentions } from './question.js';

export const HELP =
  'I answer questions about topologies and their diagnoses, and start new ones. Ask for example: "what is wrong with checkout?", "why?", "since when?", "show me the log lines", "what depends on payments?", "what was checked?", "list the runs", "list the topologies", "diagnose topology 1".';

export const CONFUSED = `I do not understand that. ${HELP}`;

/** A diagnosis, with the topology that it was of where that is still there. */
export interface Told {
  run: Run;
  shape: Shape | undefined;
}

type Node = Shape['nodes'][number];

/** `2026-11-22 08:32:26 UTC` */
const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
const eventsText = (evidence: readonly number[]): string => `${evidence.length === 1 ? 'event' : 'events'} ${evidence.join(', ')}`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The nodes of a topology that a text names. */
export const nodesIn = (text: string, shape: Shape | undefined): Node[] =>
  shape?.nodes.filter(({ id, name }) => mentions(text, id) || mentions(text, name)) ?? [];

export const nameOf = ({ shape }: Pick<Told, 'shape'>, id: string): string => shape?.nodes.find((node) => node.id === id)?.name ?? id;

/** Ids of the nodes that a node cannot do without, the nearest first. */
function needsOf({ nodes }: Shape, id: string): string[] {
  const dependsOn = new Map(nodes.map((node) => [node.id, node.dependsOn]));
  const found = new Set<string>();
  const next = [...(dependsOn.get(id) ?? [])];
  for (let at = next.shift(); at !== undefined; at = next.shift()) {
    if (at === id || found.has(at)) continue;
    found.add(at);
    next.push(...(dependsOn.get(at) ?? []));
  }
  return [...found];
}

/** Which run that was. */
export function runLine({ run_id, topology_id, topology_name, status, ended_at }: Row): string {
  const when = ended_at === null ? ` is ${status}` : ` ${status} at ${timeText(ended_at)}`;
  return `Run ${run_id} of topology ${topology_id} (${topology_name})${when}.`;
}

/** What is wrong with a node, as its finding says it. */
const foundText = ({ title, severity, evidence }: Finding): string => `${title} (${severity}, ${eventsText(evidence)})`;

/** What a root cause is, without the node's name. */
function causeText(told: Told, { node, title, confidence, evidence }: RootCause): string {
  const name = nameOf(told, node);
  const what = title.startsWith(`${name}: `) ? title.slice(name.length + 2) : title;
  return `${what} (${percent(confidence)} sure, ${eventsText(evidence)})`;
}

const isTrouble = ({ severity }: Finding): boolean => severity !== 'info';

/** What a diagnosis found, the cause first. */
export function reportText(told: Told): string {
  const { run, shape } = told;
  if (run.report === null) return [run.summary ?? '', runLine(run)].filter((line) => line !== '').join('\n');
  const { root_causes: causes, findings } = run.report;
  const isCause = (finding: Finding) => causes.some(({ node }) => node === finding.node);
  const follows = ({ node }: Finding) => shape !== undefined && causes.some((cause) => needsOf(shape, node).includes(cause.node));
  const rest = findings.filter((finding) => !isCause(finding));
  const line = (finding: Finding) => `- ${nameOf(told, finding.node)}: ${foundText(finding)}`;
  const [suffer, others] = [
    rest.filter((finding) => isTrouble(finding) && follows(finding)),
    rest.filter((finding) => !isTrouble(finding) || !follows(finding)),
  ];
  return [
    ...causes.map((cause) => `Root cause: ${nameOf(told, cause.node)}: ${causeText(told, cause)}.`),
    ...(causes.length === 0 ? [findings.some(isTrouble) ? 'No root cause was found.' : 'Nothing was found to be wrong.'] : []),
    ...(suffer.length > 0 ? ['Suffering from it:', ...suffer.map(line)] : []),
    ...(others.length > 0 ? ['Also found:', ...others.map(line)] : []),
    ...uncheckedLines(told),
    runLine(run),
  ].join('\n');
}

const uncheckedLines = (told: Told): string[] => {
  const unchecked = told.run.report?.unchecked ?? [];
  return unchecked.length === 0
    ? []
    : [`Not checked: ${unchecked.map(({ node, reason }) => `${nameOf(told, node)} (${reason})`).join(', ')}.`];
};

/** What a diagnosis found of one node, and what that has to do with the root cause. */
export function nodeText(told: Told, { id, name }: Node): string {
  const { run, shape } = told;
  const { root_causes: causes = [], findings = [], unchecked = [] } = run.report ?? {};
  const own = causes.filter(({ node }) => node === id);
  if (own.length > 0 && shape) {
    const hurt = shape.nodes.filter(
      (node) => needsOf(shape, node.id).includes(id) && findings.some((f) => f.node === node.id && isTrouble(f)),
    );
    const suffer = hurt.length > 0 ? ` ${list(hurt.map((node) => node.name))} ${hurt.length === 1 ? 'suffers' : 'suffer'} from it.` : '';
    return `${name} is the root cause: ${own.map((cause) => causeText(told, cause)).join('; ')}.${suffer}`;
  }
  const found = findings.filter(({ node }) => node === id);
  const blind = unchecked.find(({ node }) => node === id);
  const elsewhere = causes.map((cause) => {
    const isNeeded = shape !== undefined && needsOf(shape, id).includes(cause.node);
    const cites = `${nameOf(told, cause.node)}: ${causeText(told, cause)}`;
    return isNeeded ? ` It depends on the root cause, ${cites}.` : ` The root cause that was found is ${cites}.`;
  });
  if (found.length > 0) return `${name}: ${found.map(foundText).join('; ')}.${elsewhere.join('')}`;
  if (blind) return `${name} was not checked: ${blind.reason}.${elsewhere.join('')}`;
  if (run.report === null) return `Nothing is known of ${name} yet.`;
  return `Nothing was found to be wrong with ${name}.${elsewhere.join('')}`;
}

/** The beginnings and ends of a run. */
export function durationText({ run }: Told): string {
  if (run.ended_at === null) return `It began at ${timeText(run.created_at)} and is ${run.status}.\n${runLine(run)}`;
  const seconds = (Date.parse(run.ended_at) - Date.parse(run.created_at)) / 1_000;
  const took = seconds < 90 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} minutes`;
  return `It took ${took}, from ${timeText(run.created_at)} to ${timeText(run.ended_at)}.\n${runLine(run)}`;
}

/** What was looked at, and what was not. */
export function checkedText(told: Told): string {
  const { run, shape } = told;
  const blind = new Set(run.report?.unchecked.map(({ node }) => node));
  const seen = shape?.nodes.filter(({ id }) => !blind.has(id)).map(({ name }) => name) ?? [];
  const all = seen.length > 0 ? [`Checked: ${list(seen)}.`] : [];
  const missing = uncheckedLines(told);
  return [...all, ...(missing.length > 0 ? missing : ['Nothing was left unchecked.']), runLine(run)].join('\n');
}

/** What depends on what: of the nodes that a question names, else of all. */
export function shapeText(text: string, shape: Shape): string {
  const names = (ids: readonly string[]) => list(ids.map((id) => nameOf({ shape }, id)));
  const asked = nodesIn(text, shape);
  if (asked.length === 0) {
    const line = ({ name, kind, dependsOn }: Node) =>
      `- ${name} (${kind})${dependsOn.length > 0 ? `, depends on ${names(dependsOn)}` : ''}`;
    return `Topology ${shape.id} (${shape.name}) has ${count(shape.nodes.length, 'node')}:\n${shape.nodes.map(line).join('\n')}`;
  }
  const lines = asked.map(({ id, name, dependsOn }) => {
    const direct = shape.nodes.filter((node) => node.dependsOn.includes(id)).map((node) => node.id);
    const further = shape.nodes.filter((node) => !direct.includes(node.id) && needsOf(shape, node.id).includes(id)).map((node) => node.id);
    const onIt =
      direct.length === 0
        ? `Nothing depends on ${name}.`
        : `${names(direct)} ${direct.length === 1 ? 'depends' : 'depend'} on ${name}${further.length > 0 ? `, and through that ${names(further)}` : ''}.`;
    const below = needsOf(shape, id).filter((each) => !dependsOn.includes(each));
    const needs =
      dependsOn.length === 0
        ? `${name} depends on nothing.`
        : `${name} depends on ${names(dependsOn)}${below.length > 0 ? `, and through that on ${names(below)}` : ''}.`;
    return `${onIt} ${needs}`;
  });
  return `${lines.join('\n')}\nTopology ${shape.id} (${shape.name}).`;
}

export function topologiesText(topologies: readonly Listed[]): string {
  if (topologies.length === 0) return 'There is no topology yet: POST one to /api/service/v1/topologies.';
  const lines = topologies.map(({ id, name, nodes }) => `- ${id}: ${name} (${count(nodes, 'node')})`);
  return `There ${topologies.length === 1 ? 'is one topology' : `are ${topologies.length} topologies`}:\n${lines.join('\n')}`;
}

export function rowsText(rows: readonly Row[]): string {
  if (rows.length === 0) return 'There is no diagnosis yet. Ask me to "diagnose topology N".';
  const lines = rows.map(
    ({ run_id, topology_id, topology_name, status, created_at, summary }) =>
      `- ${timeText(created_at)}, topology ${topology_id} (${topology_name}), ${status}: ${summary ?? 'no result yet'} Run ${run_id}.`,
  );
  return `The last diagnoses:\n${lines.join('\n')}`;
}

/**
 * Since when a node is unwell, by what earlier diagnoses say of it: no diagnosis sees what was between two of them.
 * @param isAll whether there are no others before it
 * @param earlier diagnoses of the same topology before it, newest first
 */
export function sinceText(told: Told, node: string, isAll: boolean, earlier: readonly Run[]): string {
  const name = nameOf(told, node);
  const unwell = (run: Run) => run.report?.findings.some((finding) => finding.node === node && isTrouble(finding)) === true;
  let first = told.run;
  let before: Run | undefined;
  for (const run of earlier) {
    if (run.report === null) continue;
    if (!unwell(run)) {
      before = run;
      break;
    }
    first = run;
  }
  const at = timeText(first.created_at);
  const since = before
    ? `${name} was well at ${timeText(before.ended_at ?? before.created_at)} (run ${before.run_id}) and unwell at ${at}: it began in between.`
    : `${name} was unwell at ${at} already; ${isAll ? 'no diagnosis of this topology is older' : 'so it was in all that I looked at'}, so I cannot tell since when.`;
  const still = first === told.run ? '' : ` Run ${first.run_id} was the first to find it.`;
  return `${since}${still}\n${runLine(told.run)}`;
}

export function logText(runId: string, events: readonly { sequence: number; excerpt: string }[]): string {
  if (events.length === 0) return `The log of run ${runId} has nothing of that. All of it: GET /api/service/v1/executions/${runId}/events`;
  const seen = [...new Map(events.map((event) => [event.sequence, event])).values()];
  return `From the log of run ${runId}:\n${seen.map(({ sequence, excerpt }) => `- ${sequence}: ${excerpt.slice(0, 300)}`).join('\n')}`;
}
