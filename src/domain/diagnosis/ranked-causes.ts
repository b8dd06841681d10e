import type { Topology } from '../topology/topology.js';
import { clip, joinSentences } from '../../lib/text.js';
import type { AgentReport } from './agent-report.js';
import {
  isFailure,
  MOST_EXPLANATION,
  nextStepsIn,
  ofOtherKind,
  withDismissals,
  type Finding,
  type RootCause,
} from './finding.js';
import type { MeasuredRanking } from './measured-ranking.js';
import { linksDown, mayReach, reachOf, type NodeLinks } from './may-reach.js';
import { isMeasured, type Measurement } from './measurement.js';
import { withName } from './wording.js';

/** What a ranking over all telemetry adds to a conclusion. */
export interface RankedConclusion {
  rootCauses: RootCause[];
  findings: Finding[];
  candidates: { node: string; score: number }[];
  /**
   * Ids of the nodes to which the cause can have spread, and that show faults since its onset or
   * later.
   */
  affected: string[];
}

/**
 * The statements of the latest ranking of a run, by sequence: its first suspect is the root cause,
 * and rejected suspects are findings for information. The evidence of a root cause is the ranking
 * and the measurements at the node.
 */
export function rankedCauses(
  { nodes }: Pick<Topology, 'nodes'>,
  measurements: readonly Measurement[],
): RankedConclusion {
  const none = { rootCauses: [], findings: [], candidates: [], affected: [] };
  const last = latestRanking(measurements);
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const ranking = last?.ranking;
  if (last === undefined || ranking === undefined) return none;
  const known = ranking.causes.filter(({ node }) => names.has(node));
  const [first] = known;
  if (first === undefined) return none;
  if (first.alertOnly === true)
    return {
      ...none,
      findings: [alertFinding(first, last)],
      candidates: candidatesOf(known, first.confidence),
    };
  const { node, kind, steps, title, confidence, change, onset, for: basis, against } = first;
  const own = measurements.filter(
    (each) =>
      each.node === node &&
      each.ranking === undefined &&
      isMeasured(each) &&
      each.issues.length > 0,
  );
  const evidence = [...new Set([last.sequence, ...own.map(({ sequence }) => sequence)])].toSorted(
    (a, b) => a - b,
  );
  const affected = known.flatMap((other) =>
    onset !== undefined && (other.onset ?? '') >= onset && mayReach(nodes, other, node)
      ? other.node
      : [],
  );
  const finding = {
    node,
    title,
    kind,
    ...(steps !== undefined && { steps }),
    evidence,
    severity: 'critical',
    symptom: 'erroring',
    origin: 'measured',
    detail: sentence(basis) + (against.length > 0 ? ` Against it: ${sentence(against)}` : ''),
  } satisfies Finding;
  return {
    rootCauses: [
      {
        node,
        kind,
        ...(steps !== undefined && { steps }),
        confidence,
        evidence,
        basis,
        chain: [node],
        title: withName(names.get(node) ?? node, title),
        symptom: finding.symptom,
        ...(affected.length > 0 && { explains: affected }),
        ...(change !== undefined && { change }),
        ...(onset !== undefined && { onset }),
      },
    ],
    findings: [finding, ...ranking.rejected.flatMap((each) => rejectedFinding(each, names, last))],
    candidates: candidatesOf(known, confidence),
    affected,
  };
}

/** The measurements: findings, and the ids of the nodes that these explain by others. */
interface MeasuredFailures {
  findings: readonly Finding[];
  downstream: readonly string[];
}

/**
 * A suspect is no root cause if one of its dependencies was measured to be unhealthy, and that
 * explains all measurements at the suspect itself (there may be none): telemetry shows a fault
 * where it is recorded, which may be above a node without telemetry. A suspect that a change
 * explains stays.
 */
export function isExplained(
  { node, change }: { node: string; change?: string | undefined },
  nodes: readonly NodeLinks[],
  { findings, downstream }: MeasuredFailures,
): boolean {
  if (change !== undefined) return false;
  const unhealthy = new Set(findings.filter(isFailure).map((finding) => finding.node));
  return unhealthy.has(node)
    ? downstream.includes(node)
    : [...reachOf(linksDown(nodes), node)].some((id) => unhealthy.has(id));
}

/** A ranking whose suspect, or node that an alert is about, is information if it `isExplained`. */
export function withoutExplained(
  ranked: RankedConclusion,
  { nodes }: Pick<Topology, 'nodes'>,
  measured: MeasuredFailures,
): RankedConclusion {
  const [finding, ...others] = ranked.findings;
  const suspect = ranked.rootCauses[0] ?? finding;
  if (suspect === undefined || !isExplained(suspect, nodes, measured)) return ranked;
  const note = { severity: 'info', symptom: 'advisory' } as const;
  return {
    ...ranked,
    rootCauses: [],
    affected: [],
    findings: finding ? [{ ...finding, ...note }, ...others] : [],
  };
}

/** The statements of agents about the suspect of a ranking. */
interface AgentClaims {
  /** Claims that are separate findings. */
  claims: readonly Finding[];
  /** Of all agents. */
  reports: readonly Pick<AgentReport, 'findings' | 'dismissed'>[];
  /** The sequence of the ranking. */
  sequence: number | undefined;
  /** Sequences of the measurements at its node, with or without an issue. */
  measured?: ReadonlySet<number>;
}

/**
 * Joins the suspect of a ranking with the statements of agents about it. A claim about its node
 * with the same evidence becomes the explanation of the finding. A reason to disregard the ranking
 * is part of its detail. Without either the finding is `unreported`.
 */
export function explainedBy(
  ranked: RankedConclusion,
  { claims, reports, sequence, measured }: AgentClaims,
): { findings: Finding[]; claims: Finding[]; unreported: Finding[] } {
  const [suspect, ...others] = ranked.findings;
  if (suspect === undefined || !isFailure(suspect))
    return { findings: ranked.findings, claims: [...claims], unreported: [] };
  const restates = (claim: Finding) =>
    isFailure(claim) &&
    claim.node === suspect.node &&
    claim.evidence.some((each) => suspect.evidence.includes(each) || measured?.has(each));
  const words = claims
    .filter((claim) => restates(claim) && claim.title !== suspect.title)
    .map(({ title, detail }) => joinSentences(title, detail))
    .join(' ');
  const dismissals = reports
    .flatMap(({ dismissed = [] }) => dismissed)
    .flatMap((each) => (each.sequence === sequence ? [each.reason] : []));
  const isReported = reports.some(({ findings }) =>
    findings.some((claim) => claim.origin !== 'measured' && restates(claim)),
  );
  const finding = {
    ...suspect,
    ...(dismissals.length > 0 && { detail: withDismissals(suspect.detail, dismissals) }),
    ...(words !== '' && { explanation: clip(words, MOST_EXPLANATION) }),
  };
  return {
    findings: [finding, ...others],
    claims: claims.filter((claim) => !restates(claim)),
    unreported: isReported || dismissals.length > 0 ? [] : [suspect],
  };
}

/**
 * Joins the telemetry about a suspect with the measurements at its node: the finding explains both.
 * If telemetry shows no kind of failure, or the same kind without the change that caused it, the
 * finding has the title of the measurement: a failure that is measured now is stronger evidence
 * than logs of others.
 */
export const namedBy =
  (measured: readonly RootCause[]) =>
  (ranked: RootCause): RootCause => {
    const own = measured.find(({ node }) => node === ranked.node);
    const explains = [...new Set([...(own?.explains ?? []), ...(ranked.explains ?? [])])];
    const suspect = {
      ...ranked,
      ...(explains.length > 0 && { explains }),
      // A ranking does not state along which path the fault spreads.
      ...(own?.chain && { chain: own.chain }),
    };
    const isSame = suspect.kind === own?.kind && suspect.change === undefined;
    if (own?.kind === undefined || (suspect.kind !== 'unknown' && !isSame)) return suspect;
    const evidence = new Set([...suspect.evidence, ...own.evidence]);
    return {
      ...ofOtherKind(suspect, own.kind),
      ...nextStepsIn(own),
      title: own.title,
      ...(own.symptom && { symptom: own.symptom }),
      confidence: Math.max(suspect.confidence, own.confidence),
      evidence: [...evidence].toSorted((a, b) => a - b),
      basis: [...(own.basis ?? []), ...(suspect.basis ?? [])],
    };
  };

/** The measurement that holds the latest ranking of a run. */
export const latestRanking = (measurements: readonly Measurement[]): Measurement | undefined =>
  measurements
    .filter(({ ranking }) => ranking !== undefined)
    .toSorted((a, b) => a.sequence - b.sequence)
    .at(-1);

/** A node with an alert is worth a check. Without recorded evidence it is not a cause. */
const alertFinding = (
  { node, title }: MeasuredRanking['causes'][number],
  { sequence }: Measurement,
): Finding => ({
  node,
  title,
  detail: '',
  severity: 'warning',
  symptom: 'erroring',
  origin: 'measured',
  evidence: [sequence],
  alert: true,
});

function rejectedFinding(
  { node, title, reasons }: MeasuredRanking['rejected'][number],
  names: ReadonlyMap<string, string>,
  { sequence }: Measurement,
): Finding[] {
  if (!names.has(node)) return [];
  const common = { severity: 'info', symptom: 'advisory', origin: 'measured' } as const;
  return [{ ...common, node, title, detail: sentence(reasons), evidence: [sequence] }];
}

const sentence = (parts: readonly string[]): string =>
  joinSentences(parts.map((part) => part.replace(/\.$/, '')).join('; '));

/**
 * Scores from 0 to 1 in the order of the ranking: the first one's is its confidence; equal scores
 * stay equal.
 */
function candidatesOf(
  causes: MeasuredRanking['causes'],
  confidence: number,
): { node: string; score: number }[] {
  const top = causes[0]?.score ?? 1;
  return causes.map(({ node, score }) => ({
    node,
    score: Number(
      (confidence * Math.min(1, Math.max(0, top > 0 ? score / top : 1))).toPrecision(8),
    ),
  }));
}
