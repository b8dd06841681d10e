import {
  isClaim,
  originNote,
  type Finding,
  type NodeState,
  type Report,
  type RootCause,
  type Severity,
} from './finding.js';

/** A root cause or finding, in short. */
export interface ClaimSummary {
  node: string;
  title: string;
  severity?: Severity;
  /** Only an agent claims it. */
  origin?: NonNullable<Finding['origin']>;
  /** For something that appeared: the earlier run did not check the node, so it may be old. */
  notCheckedBefore?: true;
}

/** Claims of one of two reports that the other one does not have. */
export interface ClaimChanges {
  appeared: ClaimSummary[];
  /** The later run checked the node, and did not find the claim. */
  gone: ClaimSummary[];
  /** The later run did not check the node, so it is unknown whether the claim still holds. */
  notChecked: ClaimSummary[];
}

/** The differences between the report of a later run and that of an earlier one. */
export interface ReportChanges {
  /** False: none of the following differs. */
  changed: boolean;
  verdict: { before: string; after: string };
  rootCauses: ClaimChanges;
  /** Findings that are more than information. */
  findings: ClaimChanges;
  nodes: { node: string; before: NodeState | null; after: NodeState | null }[];
  /**
   * The same as sentences. Each node occurs once: as a root cause, else with its findings, else
   * with its state.
   */
  summary: string[];
}

const MOST_NAMED = 5;

/**
 * Compares two reports of a topology. Claims are the same if they are about the same node and the
 * same kind of failure, or have the same title where no kind is known: measured values in titles
 * differ from run to run.
 */
export function compareReports(before: Report, after: Report): ReportChanges {
  const verdict = { before: before.verdict, after: after.verdict };
  const isChecked = { before: checkedIn(before), after: checkedIn(after) };
  const rootCauses = differenceOf(before.root_causes, after.root_causes, isChecked);
  const findings = differenceOf(
    before.findings.filter(isBad),
    after.findings.filter(isBad),
    isChecked,
  );
  const nodes = nodeChanges(before, after);
  const listed = allOf(rootCauses);
  const rest = (claims: ClaimSummary[]) => claims.filter(({ node }) => !isOf(node, listed));
  const others = [...listed, ...allOf(findings)];
  const quiet = nodes.filter(({ node }) => !isOf(node, others));
  const summary = [
    ...(verdict.before === verdict.after
      ? []
      : [`The verdict changed from ${verdict.before} to ${verdict.after}.`]),
    ...sentence('New root cause', rootCauses.appeared),
    ...sentence('No longer a root cause', rootCauses.gone),
    ...sentence('New finding', rest(findings.appeared)),
    ...sentence('No longer found', rest(findings.gone)),
    ...sentence('Not checked by the later run', [
      ...rootCauses.notChecked,
      ...rest(findings.notChecked),
    ]),
    ...quiet
      .slice(0, MOST_NAMED)
      .map(
        (each) => `${each.node} was ${each.before ?? 'absent'} and is ${each.after ?? 'absent'}.`,
      ),
    ...(quiet.length > MOST_NAMED
      ? [
          `${quiet.length - MOST_NAMED} more ${quiet.length - MOST_NAMED === 1 ? 'node' : 'nodes'} changed.`,
        ]
      : []),
  ];
  return { changed: summary.length > 0, verdict, rootCauses, findings, nodes, summary };
}

const allOf = ({ appeared, gone, notChecked }: ClaimChanges): ClaimSummary[] => [
  ...appeared,
  ...gone,
  ...notChecked,
];

const isOf = (node: string, claims: readonly ClaimSummary[]): boolean =>
  claims.some((claim) => claim.node === node);

const isBad = ({ severity }: Finding): boolean => severity !== 'info';

const keyOf = ({ node, kind, title }: Claim): string => JSON.stringify([node, kind ?? title]);

type Claim = RootCause | Finding;
type IsChecked = (claim: Claim) => boolean;

/**
 * Whether a run looked for a claim: it found the same, or its report has the node and lists nothing
 * unmeasured about it.
 */
function checkedIn({ nodes, unchecked, findings }: Report): IsChecked {
  const left = new Set(unchecked.map(({ node }) => node));
  const known = nodes && new Set(nodes.map(({ node }) => node));
  const found = new Set(findings.map(keyOf));
  return (claim) =>
    found.has(keyOf(claim)) || (!left.has(claim.node) && (known?.has(claim.node) ?? true));
}

function differenceOf(
  before: readonly Claim[],
  after: readonly Claim[],
  isChecked: { before: IsChecked; after: IsChecked },
): ClaimChanges {
  const was = new Set(before.map(keyOf));
  const is = new Set(after.map(keyOf));
  const missing = before.filter((each) => !is.has(keyOf(each)));
  return {
    appeared: after
      .filter((each) => !was.has(keyOf(each)))
      .map((each) => ({
        ...claimOf(each),
        ...(!isChecked.before(each) && { notCheckedBefore: true }),
      })),
    gone: missing.filter((each) => isChecked.after(each)).map(claimOf),
    notChecked: missing.filter((each) => !isChecked.after(each)).map(claimOf),
  };
}

const claimOf = (given: Claim): ClaimSummary => ({
  node: given.node,
  title: given.title,
  ...('severity' in given && {
    severity: given.severity,
    ...(isClaim(given) && { origin: 'agent' as const }),
  }),
});

/** Marks a claim of an agent, and a claim that may not be new. */
export const claimNote = (claim: ClaimSummary): string =>
  originNote(claim) + (claim.notCheckedBefore ? ' (not checked before)' : '');

function nodeChanges(before: Report, after: Report): ReportChanges['nodes'] {
  const states = ({ nodes = [] }: Report) => new Map(nodes.map(({ node, state }) => [node, state]));
  const was = states(before);
  const is = states(after);
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((node) => ({ node, before: was.get(node) ?? null, after: is.get(node) ?? null }))
    .filter((each) => each.before !== each.after);
}

function sentence(what: string, claims: readonly ClaimSummary[]): string[] {
  if (claims.length === 0) return [];
  const named = claims
    .slice(0, MOST_NAMED)
    .map((claim) => `${claim.node}: ${claim.title}${claimNote(claim)}`);
  const more = claims.length - named.length;
  return [`${what}: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`];
}
