import type { Finding, RootCause } from '../../../domain/diagnosis/finding.js';
import { count, list } from '../plan.js';
import type { Listed, Row, Run, Shape } from './facts.js';
import { mentions, without } from './question.js';

export const HELP =
  'I answer questions about topologies and their diagnoses, and start new ones. Ask for example: "what is wrong with checkout?", "why?", "since when?", "show me the log lines", "what depends on payments?", "what was checked?", "list the runs", "list the topologies", "diagnose topology N".';

export const CONFUSED = `I do not understand that. ${HELP}`;

export const FOREIGN =
  'The built-in runbook reads English only; with a language model (MODEL) I read every language. Ask for example: "what is wrong with checkout?"';

/** A diagnosis, with the topology that it was of where that is still there. */
export interface Told {
  run: Run;
  shape: Shape | undefined;
}

type Node = Shape['nodes'][number];

/** Lines of a list that is told. */
const LINES = 10;

/** `2026-11-22 08:32:26 UTC` */
const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
const eventsText = (evidence: readonly number[]): string =>
  `${evidence.length === 1 ? 'event' : 'events'} ${evidence.join(', ')}`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The nodes of a topology that a text names: the longest name counts, be it the topology's own. */
export function nodesIn(
  text: string,
  shape: { name: string; nodes: readonly Node[] } | undefined,
): Node[] {
  if (!shape) return [];
  const names = [shape.name, ...shape.nodes.flatMap(({ id, name }) => [name, id])].map((name) =>
    name.toLowerCase(),
  );
  const found = new Set<string>();
  let rest = text;
  for (const name of names.sort((a, b) => b.length - a.length)) {
    if (!mentions(rest, name)) continue;
    rest = without(rest, name);
    if (name !== shape.name.toLowerCase()) found.add(name);
  }
  return shape.nodes.filter(
    ({ id, name }) => found.has(id.toLowerCase()) || found.has(name.toLowerCase()),
  );
}

export const nameOf = ({ shape }: Pick<Told, 'shape'>, id: string): string =>
  shape?.nodes.find((node) => node.id === id)?.name ?? id;

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
const foundText = ({ title, severity, evidence }: Finding): string =>
  `${title} (${severity}, ${eventsText(evidence)})`;

/** What a root cause is, without the node's name. */
function causeText(told: Told, { node, title, confidence, evidence }: RootCause): string {
  const name = nameOf(told, node);
  const what = title.startsWith(`${name}: `) ? title.slice(name.length + 2) : title;
  return `${what} (${percent(confidence)} sure, ${eventsText(evidence)})`;
}

const sentence = (text: string): string => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** The first lines of many, and how many more there are. */
const shortened = (lines: readonly string[]): string[] =>
  lines.length <= LINES
    ? [...lines]
    : [...lines.slice(0, LINES), `- and ${lines.length - LINES} more`];

const isTrouble = ({ severity }: Finding): boolean => severity !== 'info';

/** What a diagnosis found, the cause first. */
export function reportText(told: Told): string {
  const { run, shape } = told;
  if (run.report === null)
    return [sentence(run.summary ?? ''), runLine(run)].filter((line) => line !== '').join('\n');
  const { root_causes: causes, findings } = run.report;
  const isCause = (finding: Finding) => causes.some(({ node }) => node === finding.node);
  const follows = ({ node }: Finding) =>
    shape !== undefined && causes.some((cause) => needsOf(shape, node).includes(cause.node));
  const rest = findings.filter((finding) => !isCause(finding));
  const line = (finding: Finding) => `- ${nameOf(told, finding.node)}: ${foundText(finding)}`;
  const [suffer, others] = [
    rest.filter((finding) => isTrouble(finding) && follows(finding)),
    rest.filter((finding) => !isTrouble(finding) || !follows(finding)),
  ];
  return [
    ...causes.map((cause) => `Root cause: ${nameOf(told, cause.node)}: ${causeText(told, cause)}.`),
    ...(causes.length === 0
      ? [findings.some(isTrouble) ? 'No root cause was found.' : 'Nothing was found to be wrong.']
      : []),
    ...(suffer.length > 0 ? ['Suffering from it:', ...shortened(suffer.map(line))] : []),
    ...(others.length > 0 ? ['Also found:', ...shortened(others.map(line))] : []),
    ...uncheckedLines(told),
    runLine(run),
  ].join('\n');
}

const uncheckedLines = (told: Told): string[] => {
  const unchecked = told.run.report?.unchecked ?? [];
  return unchecked.length === 0
    ? []
    : [
        `Not checked: ${unchecked.map(({ node, reason }) => `${nameOf(told, node)} (${reason})`).join(', ')}.`,
      ];
};

const fewOf = (names: readonly string[]): string[] =>
  names.length <= 4 ? [...names] : [...names.slice(0, 3), `${names.length - 3} more`];

/** What a diagnosis found of one node, and what that has to do with the root cause. */
export function nodeText(told: Told, { id, name }: Node): string {
  const { run, shape } = told;
  const { root_causes: causes = [], findings = [], unchecked = [] } = run.report ?? {};
  const own = causes.filter(({ node }) => node === id);
  if (own.length > 0 && shape) {
    const hurt = shape.nodes.filter(
      (node) =>
        needsOf(shape, node.id).includes(id) &&
        findings.some((f) => f.node === node.id && isTrouble(f)),
    );
    const suffer =
      hurt.length > 0
        ? ` ${list(hurt.map((node) => node.name))} ${hurt.length === 1 ? 'suffers' : 'suffer'} from it.`
        : '';
    return `${name} is the root cause: ${own.map((cause) => causeText(told, cause)).join('; ')}.${suffer}`;
  }
  const found = findings.filter(({ node }) => node === id);
  const blind = unchecked.find(({ node }) => node === id);
  const needs = shape ? needsOf(shape, id) : [];
  const elsewhere = causes
    .filter(({ node }) => needs.includes(node))
    .map(
      (cause) =>
        ` It depends on the root cause, ${nameOf(told, cause.node)}: ${causeText(told, cause)}.`,
    );
  const apart = [
    ...new Set(
      causes.filter(({ node }) => !needs.includes(node)).map(({ node }) => nameOf(told, node)),
    ),
  ];
  if (apart.length > 0) elsewhere.push(` Also found, not upstream of it: ${list(fewOf(apart))}.`);
  if (found.length > 0) return `${name}: ${found.map(foundText).join('; ')}.${elsewhere.join('')}`;
  if (blind) return `${name} was not checked: ${blind.reason}.${elsewhere.join('')}`;
  if (run.report === null) return `Nothing is known of ${name} yet.`;
  return `Nothing was found to be wrong with ${name}.${elsewhere.join('')}`;
}

/** The beginnings and ends of a run. */
export function durationText({ run }: Told): string {
  if (run.ended_at === null)
    return `It began at ${timeText(run.created_at)} and is ${run.status}.\n${runLine(run)}`;
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
  return [
    ...all,
    ...(missing.length > 0 ? missing : ['Nothing was left unchecked.']),
    runLine(run),
  ].join('\n');
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
    const further = shape.nodes
      .filter((node) => !direct.includes(node.id) && needsOf(shape, node.id).includes(id))
      .map((node) => node.id);
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
  if (topologies.length === 0)
    return 'There is no topology yet: POST one to /api/service/v1/topologies.';
  const lines = topologies.map(
    ({ id, name, nodes }) => `- ${id}: ${name} (${count(nodes, 'node')})`,
  );
  return `There ${topologies.length === 1 ? 'is one topology' : `are ${topologies.length} topologies`}:\n${lines.join('\n')}`;
}

/** @param topologyId whose they are; undefined: of any @param status which they are to have */
export function rowsText(
  rows: readonly Row[],
  topologyId: number | undefined,
  status: string | undefined,
): string {
  const whose = topologyId === undefined ? '' : ` of topology ${topologyId}`;
  const which = status === undefined ? '' : ` that ${isAre(rows.length)} ${status}`;
  if (rows.length === 0)
    return status === undefined
      ? `There is no diagnosis${whose} yet. Ask me to "diagnose topology ${topologyId ?? 'N'}".`
      : `I find no diagnosis${whose} that is ${status}.`;
  const lines = rows.map(
    ({ run_id, topology_id, topology_name, status: is, created_at, summary }) =>
      `- ${timeText(created_at)}, topology ${topology_id} (${topology_name}), ${is}: ${sentence(summary ?? 'no result yet')} Run ${run_id}.`,
  );
  return `The last ${rows.length === 1 ? 'diagnosis' : 'diagnoses'}${whose}${which}:\n${lines.join('\n')}`;
}

const isAre = (n: number): string => (n === 1 ? 'is' : 'are');

const isUnwell = ({ report }: Run, node: string): boolean =>
  report?.findings.some((finding) => finding.node === node && isTrouble(finding)) === true;

/** Whether a diagnosis has looked at a node, and found nothing. */
export const isWell = (run: Run, node: string): boolean =>
  run.report !== null &&
  !isUnwell(run, node) &&
  !run.report.unchecked.some((each) => each.node === node);

/**
 * Since when a node is unwell, by what earlier diagnoses say of it: no diagnosis sees what was between two of them.
 * @param isAll whether there are no others before it
 * @param earlier diagnoses of the same topology before it, newest first
 */
export function sinceText(
  told: Told,
  node: string,
  isAll: boolean,
  earlier: readonly Run[],
): string {
  const name = nameOf(told, node);
  if (!isUnwell(told.run, node))
    return `Nothing was found to be wrong with ${name}, so there is nothing that began.\n${runLine(told.run)}`;
  const wellAt = earlier.findIndex((run) => isWell(run, node));
  const later = wellAt === -1 ? earlier : earlier.slice(0, wellAt);
  const first = later.findLast((run) => isUnwell(run, node)) ?? told.run;
  const before = earlier[wellAt];
  const at = timeText(first.created_at);
  if (before) {
    const still = first === told.run ? '' : ` Run ${first.run_id} was the first to find it.`;
    const well = `${name} was well at ${timeText(before.ended_at ?? before.created_at)} (run ${before.run_id})`;
    return `${well} and unwell at ${at}: it began in between.${still}\n${runLine(told.run)}`;
  }
  const oldest = isAll
    ? 'no diagnosis of this topology saw it well before'
    : `none of the ${earlier.length + 1} diagnoses that I read saw it well`;
  return `${name} was unwell at ${at} already (run ${first.run_id}); ${oldest}, so I cannot tell since when.\n${runLine(told.run)}`;
}

export function logText(
  runId: string,
  events: readonly { sequence: number; excerpt: string }[],
): string {
  if (events.length === 0)
    return `The log of run ${runId} has nothing of that. All of it: GET /api/service/v1/executions/${runId}/events`;
  const seen = [...new Map(events.map((event) => [event.sequence, event])).values()];
  return `From the log of run ${runId}:\n${seen.map(({ sequence, excerpt }) => `- ${sequence}: ${excerpt.slice(0, 300)}`).join('\n')}`;
}
