import type { Json } from '../../lib/json.js';
import { joinSentences } from '../../lib/text.js';
import type { FailureKind } from './failure-kind.js';
import { bySeverity, type Finding } from './finding.js';
import { kindOf } from './issue-kind.js';
import { issuesOf } from './issues/issues-of.js';
import type { Issue } from './tool-result.js';

/** The issues of one tool result with its citation: a `tool_call_id`, or a sequence number. */
export interface CitedIssues<Citation> {
  tool: string;
  evidence: Citation;
  issues: readonly Issue[];
}

/** A finding whose evidence is not cited by sequence numbers. */
export type FindingBy<Citation> = Omit<Finding, 'evidence'> & { evidence: Citation[] };
export type DraftFinding = FindingBy<string>;

/** Kinds of a node at which nothing answers, from the least specific one. */
const NO_ANSWER: readonly FailureKind[] = ['unreachable', 'crash', 'crash-loop'];
/** Kinds that are too unspecific to distinguish two faults. */
const VAGUE: readonly FailureKind[] = ['config', 'unknown'];

export const measuredBy = (tool: string, evidence: string, result: Json): CitedIssues<string> => ({
  tool,
  evidence,
  issues: issuesOf(result),
});

/** An issue with its result. */
interface Sighting<Citation> {
  issue: Issue;
  kind: FailureKind;
  /** Only the text of the target states the kind. */
  stated: boolean;
  tool: string;
  evidence: Citation;
  /** Its index among all. */
  at: number;
}

/** Occurrences of one fault. */
type Group<Citation> = [Sighting<Citation>, ...Sighting<Citation>[]];

/**
 * The findings that a node's measurements make. Two tools that measure the same fault (nothing
 * answers, the certificate has expired), and two subjects with the same fault, make one finding
 * that cites both. The order of the results decides the order of its citations only: tools that run
 * at once end in any order.
 */
export function findingsOf<Citation>(
  node: string,
  measured: readonly CitedIssues<Citation>[],
): FindingBy<Citation>[] {
  const sightings = measured
    .flatMap(({ tool, evidence, issues }) => issues.map((issue) => ({ issue, tool, evidence })))
    .map((each, at) => ({ ...each, at, ...kindOf(each.issue) }));
  const groups: Group<Citation>[] = [];
  // A node may have thousands of issues: each is compared only with those that may be the same
  // fault.
  const byTitle = new Map<string, Group<Citation>>();
  const byFault = new Map<string, Group<Citation>[]>();
  for (const sighting of sightings.toSorted(byTelling)) {
    const titled = JSON.stringify([sighting.issue.symptom, sighting.issue.title]);
    const fault = faultOf(sighting);
    const alike = fault === undefined ? [] : (byFault.get(fault) ?? []);
    const known =
      byTitle.get(titled) ??
      alike.find((group) => group.every((each) => isSameFault(each, sighting)));
    const group: Group<Citation> = known ?? [sighting];
    byTitle.set(titled, group);
    if (known) known.push(sighting);
    else {
      groups.push(group);
      if (fault !== undefined) byFault.set(fault, [...alike, group]);
    }
  }
  return groups
    .map((group) => ({ first: Math.min(...group.map(({ at }) => at)), group }))
    .toSorted((a, b) => a.first - b.first)
    .map(({ group }) => findingOf(node, group));
}

/** @param group from the most specific one */
function findingOf<Citation>(node: string, group: Group<Citation>): FindingBy<Citation> {
  const [{ issue, kind, stated }] = group;
  const { symptom, title, steps, part, took_ms: took, http_status: status, object } = issue;
  const inOrder = group.toSorted((a, b) => a.at - b.at);
  const severity = inOrder.map((each) => each.issue).toSorted(bySeverity)[0]?.severity;
  return {
    node,
    severity: severity ?? issue.severity,
    symptom,
    title,
    detail: group.map((each) => detailIn(title, each.issue)).reduce(joined),
    evidence: [...new Set(inOrder.map(({ evidence }) => evidence))],
    origin: 'measured',
    kind,
    // Its tool has selected them for its measurement, and not for the target's statement.
    ...(!stated && { ...(steps !== undefined && { steps }), ...(part !== undefined && { part }) }),
    ...(group.every((each) => each.stated || each.kind !== kind) && { stated: true }),
    ...(group.every((each) => each.issue.alert === true) && { alert: true }),
    ...(group.every((each) => each.issue.intermittent === true) && { intermittent: true }),
    ...(status !== undefined && { http_status: status }),
    ...(object !== undefined && { object }),
    ...(took !== undefined && { took_ms: took }),
  };
}

/** The most informative issue of a fault comes first; then by the names of the tools. */
function byTelling<Citation>(a: Sighting<Citation>, b: Sighting<Citation>): number {
  const rank = ({ kind }: Sighting<Citation>) => NO_ANSWER.indexOf(kind);
  const keyOf = ({ tool, issue, kind }: Sighting<Citation>) => [tool, issue.title, kind].join('\n');
  return rank(b) - rank(a) || (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b)));
}

/**
 * A key that is equal for one fault that two tools name differently; undefined for a fault that
 * only its title identifies.
 */
function faultOf<Citation>({ issue, kind }: Sighting<Citation>): string | undefined {
  const { symptom, severity } = issue;
  const isSilent = symptom === 'unreachable' && NO_ANSWER.includes(kind);
  const isNamed = symptom === 'nameless' || symptom === 'invalid' ? !VAGUE.includes(kind) : false;
  if (symptom !== 'unreachable' && !isNamed) return undefined;
  return JSON.stringify([symptom, severity, isSilent ? NO_ANSWER : kind]);
}

/** Whether two tools show the same fault, even if their titles differ. */
const isSameFault = <Citation>(a: Sighting<Citation>, b: Sighting<Citation>): boolean =>
  a.tool !== b.tool && faultOf(a) === faultOf(b);

/** The detail of an issue in a finding with that title; it includes the issue's own title. */
const detailIn = (title: string, issue: Issue): string =>
  issue.title === title || issue.detail.includes(issue.title)
    ? issue.detail
    : joinSentences(issue.title, issue.detail);

/** Maximum code units of a detail to which further ones are added. */
const MOST_DETAIL = 4_000;

const sentencesOf = (text: string): string[] => text.split(/(?<=\.) /);

/** Two details combined, without the sentences of the second that the first contains. */
function joined(detail: string, more: string): string {
  if (detail.length > MOST_DETAIL || detail.includes(more)) return detail;
  const known = new Set(sentencesOf(detail));
  const added = sentencesOf(more).filter((sentence) => !known.has(sentence));
  return joinSentences(detail, ...added);
}
