import { compareReports, type ClaimSummary } from '../../../../domain/diagnosis/compare-reports.js';
import {
  isClaim,
  originNote,
  type Finding,
  type NextStep,
  type Report,
  type RootCause,
} from '../../../../domain/diagnosis/finding.js';
import { stepText } from '../../../../domain/diagnosis/steps/step-text.js';
import { escapeMarkdown } from '../../../../lib/markdown.js';
import { list } from '../../plan.js';
import { needsOf } from '../../../../domain/topology/needs-of.js';
import { isAbout, type Topic } from '../details/topics.js';
import type { TopologyRow, Run, Shape } from '../facts.js';
import { nodesLines } from './nodes.js';
import {
  fewOf,
  isTrouble,
  nameOf,
  runLine,
  sentence,
  timeText,
  type DiagnosedRun,
} from './report.js';
import { withName, withoutName } from '../../../../domain/diagnosis/wording.js';

type Node = Shape['nodes'][number];

const VERDICTS: Readonly<Record<string, string>> = {
  root_cause_found: 'root cause found',
  issues_found: 'issues found',
  healthy: 'healthy',
  inconclusive: 'inconclusive',
};

/** Returns the verdict of a diagnosis and its headline. */
export function verdictText({ run, shape }: DiagnosedRun): string {
  const { report } = run;
  if (!report) return `${run.status}. ${sentence(run.summary ?? '')}`.trim();
  const causes = report.root_causes.map(({ node, title }) => {
    const name = shape?.nodes.find(({ id }) => id === node)?.name;
    return name === undefined || title.startsWith(name) ? title : withName(name, title);
  });
  const headline = report.headline ?? (causes.length > 0 ? causes.join('; ') : '');
  const verdict = VERDICTS[report.verdict] ?? report.verdict;
  if (headline === '') return `${verdict}.`;
  // A headline of the service says the verdict itself, unless nothing could be concluded.
  const isSaid = report.headline !== undefined && report.verdict !== 'inconclusive';
  return isSaid ? sentence(headline) : `${verdict}: ${sentence(headline)}`;
}

/** First line of a list of what is broken. */
export const EVERYWHERE = 'The latest verdict of every topology:';

/** A topology with its latest completed diagnosis. */
interface LatestRun {
  topology: TopologyRow;
  run: Run | undefined;
}

/**
 * Lists what is broken, by the latest diagnosis of every topology.
 * @param asksForHealthy lists what is healthy instead
 */
export function everywhereText(
  all: readonly LatestRun[],
  total: number,
  asksForHealthy: boolean,
): string {
  if (all.length === 0) return 'There is no topology yet: POST one to /api/service/v1/topologies.';
  const more =
    total > all.length ? [`${total - all.length} more topologies were not checked.`] : [];
  return [
    EVERYWHERE,
    ...everywhereLines(all, asksForHealthy),
    ...more,
    'For what is now, ask me to "diagnose topology N".',
  ].join('\n');
}

const BY_VERDICT = ['root_cause_found', 'issues_found', 'inconclusive'];
/** The worst first, and what was not diagnosed before what is healthy. */
const rankOf = (run: Run | undefined): number => {
  const at = BY_VERDICT.indexOf(run?.report?.verdict ?? 'inconclusive');
  return at === -1 ? BY_VERDICT.length : at;
};

const KINDS = ['not found to be healthy', 'not diagnosed yet', 'healthy'] as const;
const kindOf = ({ run }: LatestRun): (typeof KINDS)[number] =>
  run === undefined ? KINDS[1] : run.report?.verdict === 'healthy' ? KINDS[2] : KINDS[0];

/**
 * Lists the topologies that are not healthy, or the healthy ones if those are asked for or all are,
 * and counts the rest in one line each.
 */
export function everywhereLines(all: readonly LatestRun[], asksForHealthy = false): string[] {
  const isAnyUnwell = all.some((each) => kindOf(each) === KINDS[0]);
  const shown = asksForHealthy || !isAnyUnwell ? KINDS[2] : KINDS[0];
  const those = (kind: string) => all.filter((each) => kindOf(each) === kind);
  const counted = KINDS.filter((kind) => kind !== shown).flatMap((kind) => {
    const rest = those(kind);
    const names = list(fewOf(rest.map(nameText)));
    const is = rest.length === 1 ? 'is' : 'are';
    return rest.length === 0 ? [] : [`- ${rest.length} ${is} ${kind}: ${names}.${reachText(rest)}`];
  });
  return [...verdictLines(those(shown)), ...counted];
}

/** Names the healthy topologies of which some nodes were only found to answer. */
function reachText(all: readonly LatestRun[]): string {
  const partly = all.filter(
    (each) =>
      kindOf(each) === KINDS[2] && each.run?.report?.nodes?.some((node) => node.reached_only),
  );
  const of = list(fewOf(partly.map(({ topology }) => topology.name)));
  return partly.length === 0
    ? ''
    : ` Of some nodes of ${of} it was only measured that they answer.`;
}

const nameText = ({ topology: { id, name } }: LatestRun): string => `${name} (topology ${id})`;

/** Each topology with its latest verdict, in an item of a list, the worst first. */
export const verdictLines = (all: readonly LatestRun[]): string[] =>
  all
    .toSorted((a, b) => rankOf(a.run) - rankOf(b.run))
    .map((each) =>
      each.run
        ? `- ${nameText(each)}: ${verdictText({ run: each.run, shape: undefined })} Diagnosed at ${timeText(each.run.ended_at ?? each.run.created_at)}, run ${each.run.run_id}.`
        : `- ${nameText(each)}: not diagnosed yet.`,
    );

/** An answer that is not plain text. What it quotes is escaped. */
export interface MarkdownText {
  markdown: string;
}

/**
 * Lists the next steps of a report, their commands as code. Of nodes: their own, and those of the
 * root causes that a node which is none itself depends on. About a topic: those that name it or
 * answer a finding that does; all, if there is none.
 */
export function stepsText(
  diagnosed: DiagnosedRun,
  nodes: readonly Node[] = [],
  topic?: Topic,
): MarkdownText {
  const { run } = diagnosed;
  const all = run.report?.next_steps ?? [];
  const meant = new Set(nodes.flatMap(({ id }) => [id, ...causesOf(diagnosed, id)]));
  const ofNodes =
    nodes.length === 0
      ? all
      : all.filter(({ node, nodes: several = [] }) =>
          [...several, ...(node === undefined ? [] : [node])].some((id) => meant.has(id)),
        );
  const about = topic ? stepsAbout(topic, ofNodes, run) : [];
  const steps = about.length > 0 ? about : ofNodes;
  const heads =
    nodes.length === 0 || run.report === null
      ? [verdictText(diagnosed)]
      : nodesLines(diagnosed, nodes);
  const verdict = heads.map(escapeMarkdown).join('\n');
  const of = escapeMarkdown(runLine(run));
  const whose = nodes.length === 0 ? '' : ` for ${list(nodes.map(({ name }) => name))}`;
  if (topic && about.length === 0 && !isFoundWrong(topic, run, meant))
    return {
      markdown: `Nothing was found to be wrong about ${topic.name}${escapeMarkdown(whose)}, so no step is about that.\n${verdict}\n${of}`,
    };
  if (steps.length === 0)
    return {
      markdown: `The report of this run suggests no next steps${escapeMarkdown(whose)}.\n${verdict}\n${of}`,
    };
  const lines = steps.map(
    (step, i) => `${i + 1}. ${stepText({ ...step, text: sentence(step.text) })}`,
  );
  const note = topic ? [noteText(topic, about.length, ofNodes.length), ''] : [];
  return { markdown: [verdict, '', ...note, ...lines, '', of].join('\n') };
}

/** Returns the steps that name a topic, or else those for the findings that do. */
function stepsAbout({ shows }: Topic, steps: readonly NextStep[], { report }: Run): NextStep[] {
  const naming = steps.filter(({ text, command = '' }) => shows.test(text) || shows.test(command));
  if (naming.length > 0) return naming;
  const found = [...(report?.root_causes ?? []), ...(report?.findings ?? [])];
  const cited = found.filter(({ title }) => shows.test(title)).flatMap(({ evidence }) => evidence);
  return steps.filter(({ evidence = [] }) => evidence.some((each) => cited.includes(each)));
}

/**
 * Whether a diagnosis measured trouble about a topic: at some nodes, or at all if there are none.
 */
export const isFoundWrong = (
  topic: Topic,
  { report }: Run,
  nodes: ReadonlySet<string> = new Set(),
): boolean =>
  [
    ...(report?.root_causes ?? []),
    ...(report?.findings ?? []).filter((each) => isTrouble(each) && !isClaim(each)),
  ].some((each) => (nodes.size === 0 || nodes.has(each.node)) && isAbout(topic, each));

function noteText({ name }: Topic, about: number, all: number): string {
  if (about === 0) return `No step is about ${name} alone. The steps:`;
  if (about === all) return `The steps about ${name}:`;
  return `The steps about ${name}, ${about} of ${all}:`;
}

/** Returns the root causes that a node depends on, if it is none itself. */
function causesOf({ run, shape }: DiagnosedRun, id: string): string[] {
  const causes = run.report?.root_causes.map(({ node }) => node) ?? [];
  const needs = shape ? needsOf(shape.nodes, id) : [];
  return causes.includes(id) ? [] : causes.filter((cause) => needs.includes(cause));
}

/**
 * Lists, each in an item, the verdicts of two diagnoses, the trouble that only one of them has, and
 * the trouble that both have.
 */
export function compareText(one: DiagnosedRun, other: DiagnosedRun): string {
  const isSame = one.run.topology_id === other.run.topology_id;
  const label = ({ run }: DiagnosedRun) =>
    isSame ? timeText(run.created_at) : `${run.topology_name} (topology ${run.topology_id})`;
  return [
    `- ${label(one)}: ${verdictText(one)}`,
    `- ${label(other)}: ${verdictText(other)}`,
    ...differenceLines(one, other, isSame ? undefined : [label(one), label(other)]),
    `${runLine(one.run)}\n`,
    runLine(other.run),
  ].join('\n');
}

/** @param labels of two different topologies; absent for an earlier and a later diagnosis of one */
function differenceLines(
  one: DiagnosedRun,
  other: DiagnosedRun,
  labels?: [string, string],
): string[] {
  const before = one.run.report;
  const after = other.run.report;
  if (!before || !after) return [];
  const changes = compareReports(before, after);
  const claimsOf = (of: DiagnosedRun, claims: readonly ClaimSummary[]) =>
    claims.map(({ node, title, ...claim }) => {
      const name = nameOf(of, node);
      return `${withName(name, withoutName(name, title))}${originNote(claim)}`;
    });
  const line = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`- ${title}: ${list(fewOf([...new Set(items)]))}.`];
  // What is a root cause in only one of two, but was found in both, is neither new nor gone.
  const isFound = ({ findings }: Report, cause: RootCause) =>
    findings.some((finding) => finding.severity !== 'info' && isSame(other, finding, cause));
  const roleOf = (claims: readonly ClaimSummary[], of: Report, found: Report) =>
    claims.filter(({ node, title }) =>
      of.root_causes.some(
        (cause) => cause.node === node && cause.title === title && isFound(found, cause),
      ),
    );
  const promoted = roleOf(changes.rootCauses.appeared, after, before);
  const demoted = roleOf(changes.rootCauses.gone, before, after);
  const gone = [...changes.rootCauses.gone, ...changes.findings.gone].filter(
    (claim) => !demoted.includes(claim),
  );
  const appeared = [...changes.rootCauses.appeared, ...changes.findings.appeared].filter(
    (claim) => !promoted.includes(claim),
  );
  const states = labels
    ? []
    : changes.nodes.filter(
        ({ node }) =>
          ![...gone, ...appeared, ...promoted, ...demoted].some((claim) => claim.node === node),
      );
  const same = after.findings.filter(
    ({ node, title, severity }) =>
      severity !== 'info' &&
      !changes.findings.appeared.some((claim) => claim.node === node && claim.title === title),
  );
  const changed = claimsOf(other, [...promoted, ...demoted]);
  const differences = [
    ...line(labels ? `Only in ${labels[0]}` : 'No longer found', claimsOf(one, gone)),
    ...line(labels ? `Only in ${labels[1]}` : 'New', claimsOf(other, appeared)),
    ...line(
      labels ? `A root cause only in ${labels[0]}` : 'No longer a root cause',
      claimsOf(one, demoted),
    ),
    ...line(
      labels ? `A root cause only in ${labels[1]}` : 'Now a root cause',
      claimsOf(other, promoted),
    ),
    ...line(
      'State',
      states.map(
        ({ node, before: was, after: is }) =>
          `${nameOf(other, node)} was ${stateText(was)} and is ${stateText(is)}`,
      ),
    ),
  ];
  return differences.length === 0 && before.verdict === after.verdict
    ? ['- Both found the same.']
    : [
        ...differences,
        ...line(
          'In both',
          claimsOf(other, same).filter((text) => !changed.includes(text)),
        ),
      ];
}

/** Whether a finding and a root cause are about the same failure of a node. */
function isSame(of: DiagnosedRun, finding: Finding, cause: RootCause): boolean {
  if (finding.node !== cause.node) return false;
  if (finding.kind !== undefined && cause.kind !== undefined) return finding.kind === cause.kind;
  const name = nameOf(of, cause.node);
  return withoutName(name, finding.title) === withoutName(name, cause.title);
}

const stateText = (state: string | null): string => (state ?? 'absent').replaceAll('_', ' ');
