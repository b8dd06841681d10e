import { groupBy } from '../../lib/group-by.js';
import { clip, joinSentences } from '../../lib/text.js';
import type { Topology } from '../topology/topology.js';
import { inOrder, type AgentReport } from './agent-report.js';
import {
  bySeverity,
  MOST_EXPLANATION,
  symptomOf,
  withDismissals,
  type Finding,
} from './finding.js';
import { findingsOf } from './findings-of.js';
import { issueKind } from './issue-kind.js';
import type { Current } from './current-measurements.js';
import { latestRanking } from './ranked-causes.js';
import { isMeasured, type Measurement } from './measurement.js';

/** Maximum claims of agents in one report, the most severe first. */
const MOST_CLAIMS = 200;

/** A claim of an agent that the measurements do not support. */
export interface UnsupportedClaim {
  node: string;
  title: string;
  /** A sentence part: "its evidence is no tool result of this run". */
  why: string;
}

/** The measured findings, without statements of agents. */
export interface RunEvidence {
  all: readonly Measurement[];
  current: Current;
}

export interface Reconciliation {
  /** The measured findings, the most severe first. */
  findings: Finding[];
  /**
   * Supported claims of agents that restate no measured issue, with the severity that the agents
   * give.
   */
  claims: Finding[];
  dropped: UnsupportedClaim[];
  /** Measured findings that no agent reported. */
  unreported: Finding[];
}

/**
 * Joins measured issues with the claims of agents. Every measured issue is a finding, whatever
 * agents claim about it; a claim must rest on measurements of its node or of a direct neighbour.
 * Contract section 6.
 */
export function reconcile(
  topology: Pick<Topology, 'nodes'>,
  known: RunEvidence,
  reports: readonly AgentReport[],
): Reconciliation {
  const ordered = inOrder(reports);
  const measured = measuredFindings(topology, known.current);
  const doubtful = doubtfulFindings(topology, known.current);
  const measuredAt = groupBy([...measured, ...doubtful], ({ node }) => node);
  const support = supportOf(topology, known);
  const shownBy = looksThatShow(known);
  const reported = new Set<Finding>();
  const explained = new Map<Finding, Set<string>>();
  const claims = new Map<string, Finding>();
  const dropped = new Map<string, UnsupportedClaim>();

  for (const { findings } of ordered)
    for (const said of findings) {
      const claim = { ...said, evidence: said.evidence.flatMap(shownBy) };
      const restated = matching(claim, measuredAt.get(claim.node) ?? []);
      for (const finding of restated) {
        reported.add(finding);
        const words = wordsOf(claim, finding);
        if (words !== '') explained.set(finding, (explained.get(finding) ?? new Set()).add(words));
      }
      if (restated.length > 0 || claim.origin === 'measured') continue;
      const checked = support(claim);
      const key = JSON.stringify([claim.node, claim.title.toLowerCase()]);
      if ('why' in checked)
        dropped.set(key, { node: claim.node, title: claim.title, why: checked.why });
      else if (!claims.has(key) && claims.size < MOST_CLAIMS) claims.set(key, checked.finding);
    }

  const reasons = new Map<number, string[]>();
  for (const { sequence, reason } of ordered.flatMap(({ dismissed = [] }) => dismissed))
    reasons.set(sequence, [...(reasons.get(sequence) ?? []), reason]);
  const unreported: Finding[] = [];
  const complete = measured.map((finding): Finding => {
    const dismissals = [...new Set(finding.evidence.flatMap((n) => reasons.get(n) ?? []))];
    const explanation = clip([...(explained.get(finding) ?? [])].join(' '), MOST_EXPLANATION);
    if (finding.severity !== 'info' && !reported.has(finding) && dismissals.length === 0)
      unreported.push(finding);
    return {
      ...finding,
      ...(dismissals.length > 0 && { detail: withDismissals(finding.detail, dismissals) }),
      ...(explanation !== '' && { explanation }),
    };
  });
  const earlier = overruledFindings(known.current, measured);
  return {
    findings: [
      ...complete,
      ...doubtful.filter((finding) => reported.has(finding)),
      ...earlier,
    ].toSorted(bySeverity),
    claims: [...claims.values()],
    dropped: [...dropped.values()],
    unreported,
  };
}

/**
 * A claim as a finding: no measurement shows it, so it is information, whatever severity the agent
 * gives it.
 */
export const asInformation = (claim: Finding): Finding =>
  claim.severity === 'info'
    ? claim
    : {
        ...claim,
        severity: 'info',
        symptom: 'advisory',
        detail: joinSentences(
          claim.detail,
          `An agent claims this as ${claim.severity}; no measurement of the node itself shows it.`,
        ),
      };

/**
 * The beginning of the title of a finding that was measured while the prober was short of processor
 * time.
 */
const UNRELIABLE = 'not measured reliably: ';

/**
 * Measured times of a prober that was short of processor time: no finding alone, and information if
 * an agent reports them.
 */
const doubtfulFindings = (topology: Pick<Topology, 'nodes'>, { doubtful }: Current): Finding[] =>
  measuredFindings(topology, { measurements: doubtful }).map((finding) => ({
    ...finding,
    severity: 'info',
    symptom: 'advisory',
    title: UNRELIABLE + finding.title,
  }));

const ascending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => a - b);

/** One finding for each measured issue. */
function measuredFindings(
  { nodes }: Pick<Topology, 'nodes'>,
  { measurements }: Pick<Current, 'measurements'>,
): Finding[] {
  const byNode = groupBy(measurements, ({ node }) => node);
  const findings = nodes.flatMap(({ id }) =>
    findingsOf(
      id,
      (byNode.get(id) ?? []).map(({ tool, sequence: evidence, issues }) => ({
        tool,
        evidence,
        issues,
      })),
    ),
  );
  return findings.map((finding) => ({ ...finding, evidence: ascending(finding.evidence) }));
}

/** Issues that were measured and have disappeared: worth knowing, since they may return. */
function overruledFindings({ overruled }: Current, measured: readonly Finding[]): Finding[] {
  const findings = new Map<string, Finding>();
  const keyOf = (node: string, symptom: Finding['symptom']) => JSON.stringify([node, symptom]);
  const shown = new Set(measured.map(({ node, symptom }) => keyOf(node, symptom)));
  for (const { issue, was, by } of overruled) {
    const { node, tool } = was;
    const key = keyOf(node, issue.symptom);
    if (shown.has(key)) continue;
    findings.set(key, {
      node,
      severity: 'info',
      symptom: 'advisory',
      origin: 'measured',
      title: `seen once, not the last time: ${issue.title}`,
      detail: joinSentences(
        issue.detail,
        `A later measurement by ${tool} did not show it: ${by.summary}.`,
      ),
      evidence: [was.sequence, by.sequence],
      kind: issueKind(issue),
    });
  }
  return [...findings.values()];
}

/**
 * The measured findings of its node that a claim restates. An `info` claim does not report a
 * failure, and a claim of a failure does not restate an information.
 */
function matching(claim: Finding, measured: readonly Finding[]): Finding[] {
  if (claim.severity === 'info')
    return measured.filter(
      (f) => f.severity === 'info' && [claim.title, UNRELIABLE + claim.title].includes(f.title),
    );
  const about = measured.filter(
    (f) => f.severity !== 'info' && f.evidence.some((n) => claim.evidence.includes(n)),
  );
  const exact = about.filter((finding) => finding.title === claim.title);
  if (exact.length > 0) return exact;
  const alike = about.filter(({ symptom }) => symptom === claim.symptom);
  return alike.length > 0 ? alike : about;
}

/** An agent's own text about a measured finding. */
function wordsOf(claim: Finding, finding: Finding): string {
  if (claim.origin === 'measured') return claim.explanation ?? '';
  if (claim.title === finding.title) return '';
  return joinSentences(claim.title, claim.detail);
}

/**
 * A cited measurement of a subject with an issue, and the later ones of the subject that show what
 * counts now.
 */
function looksThatShow({ all, current: { measurements } }: RunEvidence) {
  const subjectOf = ({ node, tool, subject }: Measurement) => JSON.stringify([node, tool, subject]);
  const isUnhealthy = ({ issues }: Measurement) =>
    issues.some(({ severity }) => severity !== 'info');
  const standing = groupBy(measurements.filter(isUnhealthy), subjectOf);
  const cited = new Map(all.filter(isUnhealthy).map((each) => [each.sequence, subjectOf(each)]));
  return (sequence: number): number[] => {
    const later = standing.get(cited.get(sequence) ?? '') ?? [];
    return [sequence, ...later.map((each) => each.sequence).filter((each) => each > sequence)];
  };
}

/**
 * Checks a claim: its node, its evidence, and, unless it is information, an unhealthy result. A
 * result about the whole system is about every node, and the latest ranking counts as unhealthy for
 * the nodes that it suspects.
 */
function supportOf(
  { nodes }: Pick<Topology, 'nodes'>,
  { all, current: { measurements } }: RunEvidence,
) {
  const dependsOn = new Map(nodes.map((node) => [node.id, new Set(node.dependsOn)]));
  const measured = new Map(all.filter(isMeasured).map((each) => [each.sequence, each]));
  const unhealthy = new Set(
    measurements
      .filter(({ issues }) => issues.some(({ severity }) => severity !== 'info'))
      .map(({ sequence }) => sequence),
  );
  const ranked = latestRanking(all);
  const suspects = new Set(ranked?.ranking?.causes.map((cause) => cause.node));
  return (claim: Finding): { finding: Finding } | { why: string } => {
    const { node, severity } = claim;
    if (!dependsOn.has(node))
      return { why: `there is no node "${clip(node, 80)}" in this topology` };
    const known = claim.evidence.filter((sequence) => measured.has(sequence));
    if (known.length === 0) return { why: 'its evidence is no measurement of this run' };
    const evidence = known.filter((sequence) => {
      const { node: of = '', measures } = measured.get(sequence) ?? {};
      if (measures === 'system') return true;
      return of === node || dependsOn.get(node)?.has(of) || dependsOn.get(of)?.has(node);
    });
    if (evidence.length === 0)
      return { why: 'its evidence is about another node, and not about a direct neighbour' };
    const isUnhealthy = (sequence: number) =>
      unhealthy.has(sequence) || (sequence === ranked?.sequence && suspects.has(node));
    if (severity !== 'info' && !evidence.some(isUnhealthy))
      return {
        why: 'everything that it cites was measured healthy, or was overruled by a later measurement',
      };
    return {
      finding: {
        ...claim,
        evidence: ascending([...new Set(evidence)]),
        origin: 'agent',
        symptom: symptomOf(claim),
      },
    };
  };
}
