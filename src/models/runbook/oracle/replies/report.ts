import { originNote, type Finding, type RootCause } from '../../../../domain/diagnosis/finding.js';
import { reachedOnly } from '../../../../domain/diagnosis/verdict.js';
import { uncheckedWords, withName, withoutName } from '../../../../domain/diagnosis/wording.js';
import { needsOf } from '../../../../domain/topology/needs-of.js';
import type { DiagnosisRow, Run, Shape } from '../facts.js';

/** A diagnosis with its topology; the topology is undefined if it was removed since. */
export interface DiagnosedRun {
  run: Run;
  shape: Shape | undefined;
}

/** Maximum of lines of a list that are shown. */
const LINES = 10;

/** `2026-11-22 08:32:26 UTC` */
export const timeText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
export const eventsText = (evidence: readonly number[]): string =>
  `${evidence.length === 1 ? 'event' : 'events'} ${evidence.join(', ')}`;
export const percent = (share: number): string => `${Math.round(share * 100)} %`;

export const nameOf = ({ shape }: Pick<DiagnosedRun, 'shape'>, id: string): string =>
  shape?.nodes.find((node) => node.id === id)?.name ?? id;

/** Describes a run in one line. */
export function runLine({
  run_id,
  topology_id,
  topology_name,
  status,
  ended_at,
}: DiagnosisRow): string {
  const when = ended_at === null ? ` is ${status}` : ` ${status} at ${timeText(ended_at)}`;
  return `Run ${run_id} of topology ${topology_id} (${topology_name})${when}.`;
}

/** Says that a run shows an earlier state, and offers a new one. */
export const thenLine = ({ topology_id }: DiagnosisRow): string =>
  `That was then; for what is now, ask me to "diagnose topology ${topology_id}".`;

/** Describes a finding. */
export const foundText = ({ title, severity, evidence, origin }: Finding): string =>
  `${title}${originNote({ origin })} (${severity}, ${eventsText(evidence)})`;

/** Describes a root cause, without the name of the node. */
export function causeText(
  diagnosed: DiagnosedRun,
  { node, title, confidence, evidence }: RootCause,
): string {
  const name = nameOf(diagnosed, node);
  const what = withoutName(name, title);
  return `${what} (${percent(confidence)} sure, ${eventsText(evidence)})`;
}

export const sentence = (text: string): string =>
  text === '' || /[.!?]$/.test(text) ? text : `${text}.`;

/** Returns the first lines of a list and the number of the remaining lines. */
export const shortened = (lines: readonly string[]): string[] =>
  lines.length <= LINES
    ? [...lines]
    : [...lines.slice(0, LINES), `- and ${lines.length - LINES} more`];

export const isFault = ({ severity }: Finding): boolean => severity !== 'info';

const findingLine = (diagnosed: DiagnosedRun, finding: Finding): string =>
  `- ${withName(nameOf(diagnosed, finding.node), foundText(finding))}`;

/** Returns the findings about nodes that are no root cause. */
function otherThanCauses({ run }: DiagnosedRun): Finding[] {
  const { root_causes: causes = [], findings = [] } = run.report ?? {};
  return findings.filter((finding) => !causes.some(({ node }) => node === finding.node));
}

/** Lists what a diagnosis found besides its root causes. */
export const otherFindings = (diagnosed: DiagnosedRun): string[] =>
  shortened(otherThanCauses(diagnosed).map((finding) => findingLine(diagnosed, finding)));

/** Returns the findings of a diagnosis, root causes first. */
export function reportText(diagnosed: DiagnosedRun): string {
  const { run } = diagnosed;
  if (run.report === null)
    return [sentence(run.summary ?? ''), ...repairLines(diagnosed), runLine(run)]
      .filter((line) => line !== '')
      .join('\n');
  const { root_causes: causes, findings } = run.report;
  const follows = ({ node }: Finding) => isExplained(diagnosed, node, causes);
  const rest = otherThanCauses(diagnosed);
  const line = (finding: Finding) => findingLine(diagnosed, finding);
  const affected = rest.filter((finding) => isFault(finding) && follows(finding));
  const others = rest.filter((finding) => !isFault(finding) || !follows(finding));
  return [
    ...causes.map(
      (cause) =>
        `Root cause: ${withName(nameOf(diagnosed, cause.node), causeText(diagnosed, cause))}.`,
    ),
    ...(causes.length === 0
      ? [findings.some(isFault) ? 'No root cause was found.' : 'Nothing was found to be wrong.']
      : []),
    ...(affected.length > 0
      ? [
          causes.length === 1 ? 'Suffering from it:' : 'Suffering from these:',
          ...shortened(affected.map(line)),
        ]
      : []),
    ...(others.length > 0
      ? [causes.length > 0 ? 'Also found:' : 'Found:', ...shortened(others.map(line))]
      : []),
    ...uncheckedLines(diagnosed),
    ...repairLines(diagnosed),
    runLine(run),
  ].join('\n');
}

/**
 * Lists the changes that a run waits with until a person approves them, and those that it asked
 * for, with their outcome.
 */
export function repairLines(
  diagnosed: DiagnosedRun,
  isMeant: (node: string) => boolean = () => true,
): string[] {
  const { approvals = [], report } = diagnosed.run;
  const waiting = approvals.map(
    ({ message, risk, expires_at }) =>
      `- ${sentence(message)} ${sentence(risk)} It can be approved until ${timeText(expires_at)}.`,
  );
  const asked = (report?.repairs ?? [])
    .filter(({ node }) => isMeant(node))
    .map(({ node, outcome, text, decided_by: by }) => {
      const approved = by && outcome !== 'refused' ? ` Approved by ${by}.` : '';
      return `- ${nameOf(diagnosed, node)}, ${outcome}: ${sentence(text)}${approved}`;
    });
  return [
    ...(waiting.length > 0 ? ['It waits for the approval of a person:', ...waiting] : []),
    ...(asked.length > 0 ? ['Repairs:', ...shortened(asked)] : []),
  ];
}

/** Says which nodes were not checked, and of which it was only measured that they answer. */
export function uncheckedLines(diagnosed: DiagnosedRun): string[] {
  const { unchecked = [], nodes = [] } = diagnosed.run.report ?? {};
  const name = (id: string) => nameOf(diagnosed, id);
  const open = unchecked.map((each) => `${name(each.node)} (${uncheckedWords(each)})`);
  return [
    ...(open.length > 0 ? [`Not checked: ${open.join(', ')}.`] : []),
    ...reachedOnly(nodes, name),
  ];
}

/** Returns the first names of many, and the number of the remaining ones. */
export const fewOf = (names: readonly string[]): string[] =>
  names.length <= 4 ? [...names] : [...names.slice(0, 3), `${names.length - 3} more`];

/**
 * Whether one of some root causes explains the faults of a node, by the report; by the
 * dependencies where an older report does not say it.
 */
export function isExplained(
  { run, shape }: DiagnosedRun,
  node: string,
  causes: readonly RootCause[],
): boolean {
  const isCause = run.report?.root_causes.some((cause) => cause.node === node) === true;
  return causes.some(({ node: cause, chain, explains }) => {
    if (node === cause) return false;
    if (chain?.includes(node) === true || explains?.includes(node) === true) return true;
    // Reports of older versions do not say what a root cause explains.
    const isSaid = chain !== undefined || explains !== undefined;
    const mayFollow = !isSaid && !isCause && shape !== undefined;
    return mayFollow && needsOf(shape.nodes, node).includes(cause);
  });
}

/** Returns the start, the end and the duration of a run. */
export function durationText({ run }: DiagnosedRun): string {
  if (run.ended_at === null)
    return `It began at ${timeText(run.created_at)} and is ${run.status}.\n${runLine(run)}`;
  const seconds = (Date.parse(run.ended_at) - Date.parse(run.created_at)) / 1_000;
  const took = seconds < 90 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} minutes`;
  return `It took ${took}, from ${timeText(run.created_at)} to ${timeText(run.ended_at)}.\n${runLine(run)}`;
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
