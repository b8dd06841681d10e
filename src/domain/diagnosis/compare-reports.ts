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
  /** Only an agent says so. */
  origin?: NonNullable<Finding['origin']>;
}

/** How the report of a later run differs from that of an earlier one. */
export interface ReportChanges {
  /** False: nothing of the below differs. */
  changed: boolean;
  verdict: { before: string; after: string };
  rootCauses: { appeared: ClaimSummary[]; gone: ClaimSummary[] };
  /** Findings that are more than information. */
  findings: { appeared: ClaimSummary[]; gone: ClaimSummary[] };
  nodes: { node: string; before: NodeState | null; after: NodeState | null }[];
  /**
   * The same in sentences. Each node occurs once: as a root cause, else with its findings, else
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
  const rootCauses = differenceOf(before.root_causes, after.root_causes);
  const findings = differenceOf(before.findings.filter(isBad), after.findings.filter(isBad));
  const nodes = nodeChanges(before, after);
  const listed = [...rootCauses.appeared, ...rootCauses.gone];
  const rest = (claims: ClaimSummary[]) => claims.filter(({ node }) => !isOf(node, listed));
  const others = [...listed, ...findings.appeared, ...findings.gone];
  const quiet = nodes.filter(({ node }) => !isOf(node, others));
  const summary = [
    ...(verdict.before === verdict.after
      ? []
      : [`The verdict changed from ${verdict.before} to ${verdict.after}.`]),
    ...sentence('New root cause', rootCauses.appeared),
    ...sentence('No longer a root cause', rootCauses.gone),
    ...sentence('New finding', rest(findings.appeared)),
    ...sentence('No longer found', rest(findings.gone)),
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

const isOf = (node: string, claims: readonly ClaimSummary[]): boolean =>
  claims.some((claim) => claim.node === node);

const isBad = ({ severity }: Finding): boolean => severity !== 'info';

const keyOf = ({ node, kind, title }: RootCause | Finding): string =>
  JSON.stringify([node, kind ?? title]);

function differenceOf<T extends RootCause | Finding>(before: readonly T[], after: readonly T[]) {
  const was = new Set(before.map(keyOf));
  const is = new Set(after.map(keyOf));
  return {
    appeared: after.filter((each) => !was.has(keyOf(each))).map(claimOf),
    gone: before.filter((each) => !is.has(keyOf(each))).map(claimOf),
  };
}

const claimOf = (given: RootCause | Finding): ClaimSummary => ({
  node: given.node,
  title: given.title,
  ...('severity' in given && {
    severity: given.severity,
    ...(isClaim(given) && { origin: 'agent' as const }),
  }),
});

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
    .map(({ node, title, ...claim }) => `${node}: ${title}${originNote(claim)}`);
  const more = claims.length - named.length;
  return [`${what}: ${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`];
}
