import {
  claimNote,
  compareReports,
  type ClaimSummary,
} from '../../../../domain/diagnosis/compare-reports.js';
import {
  originNote,
  type Finding,
  type Report,
  type RootCause,
} from '../../../../domain/diagnosis/finding.js';
import { list } from '../../plan.js';
import { fewOf, nameOf, runLine, timeText, type DiagnosedRun } from './report.js';
import { withName, withoutName } from '../../../../domain/diagnosis/wording.js';
import { verdictText } from './verdict.js';

/** The line that says that two diagnoses do not differ. */
export const BOTH_SAME = '- Both found the same.';

/**
 * Lists, each in an item, the verdicts of two diagnoses, the faults that only one of them has, and
 * the faults that both have.
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
    claims.map((claim) => {
      const name = nameOf(of, claim.node);
      // A node of another topology is no node that a diagnosis left out.
      const note = labels ? originNote(claim) : claimNote(claim);
      return `${withName(name, withoutName(name, claim.title))}${note}`;
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
  const notChecked = [...changes.rootCauses.notChecked, ...changes.findings.notChecked];
  const gone = [
    ...changes.rootCauses.gone,
    ...changes.findings.gone,
    ...(labels ? notChecked : []),
  ].filter((claim) => !demoted.includes(claim));
  const appeared = [...changes.rootCauses.appeared, ...changes.findings.appeared].filter(
    (claim) => !promoted.includes(claim),
  );
  const states = labels
    ? []
    : changes.nodes.filter(
        ({ node }) =>
          ![...gone, ...notChecked, ...appeared, ...promoted, ...demoted].some(
            (claim) => claim.node === node,
          ),
      );
  const same = after.findings.filter(
    ({ node, title, severity }) =>
      severity !== 'info' &&
      !changes.findings.appeared.some((claim) => claim.node === node && claim.title === title),
  );
  const changed = claimsOf(other, [...promoted, ...demoted]);
  const differences = [
    ...line(labels ? `Only in ${labels[0]}` : 'No longer found', claimsOf(one, gone)),
    ...(labels ? [] : line('Not checked by the later diagnosis', claimsOf(one, notChecked))),
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
    ? [BOTH_SAME]
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
