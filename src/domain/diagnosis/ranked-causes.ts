import type { Topology } from '../topology/topology.js';
import { clip, joinSentences } from '../../lib/text.js';
import { isTrouble, MOST_EXPLANATION, type Finding, type RootCause } from './finding.js';
import type { MeasuredRanking } from './measured-ranking.js';
import type { Measurement } from './measurement.js';
import { withName } from './wording.js';

/** What a ranking over all telemetry adds to a conclusion. */
export interface RankedConclusion {
  rootCauses: RootCause[];
  findings: Finding[];
  candidates: { node: string; score: number }[];
  /** Ids of the nodes to which the cause can have spread, and that show trouble since its onset or later. */
  suffering: string[];
}

/**
 * What the latest ranking of a run, by sequence, says: its first suspect is the root cause, what it rejects are findings worth knowing. The evidence
 * of a root cause is the ranking itself and what was measured at the node.
 */
export function rankedCauses(
  { nodes }: Pick<Topology, 'nodes'>,
  measurements: readonly Measurement[],
): RankedConclusion {
  const none = { rootCauses: [], findings: [], candidates: [], suffering: [] };
  const last = latestRanking(measurements);
  const names = new Map(nodes.map(({ id, name }) => [id, name]));
  const ranking = last?.ranking;
  if (last === undefined || ranking === undefined) return none;
  const known = ranking.causes.filter(({ node }) => names.has(node));
  const [first] = known;
  if (first === undefined) return none;
  const { node, kind, title, confidence, change, onset, for: basis, against } = first;
  const own = measurements.filter((each) => each.node === node && each.ranking === undefined);
  const evidence = [...new Set([last.sequence, ...own.map(({ sequence }) => sequence)])].toSorted(
    (a, b) => a - b,
  );
  const suffering = known.flatMap((other) =>
    onset !== undefined && (other.onset ?? '') >= onset && isBeside(nodes, other.node, node)
      ? other.node
      : [],
  );
  const finding = {
    ...{ node, title, kind, evidence, severity: 'critical', symptom: 'erroring' },
    origin: 'measured',
    detail: sentence(basis) + (against.length > 0 ? ` Against it: ${sentence(against)}` : ''),
  } satisfies Finding;
  return {
    rootCauses: [
      {
        ...{ node, kind, confidence, evidence, basis, chain: [node] },
        title: withName(names.get(node) ?? node, title),
        symptom: finding.symptom,
        ...(suffering.length > 0 && { explains: suffering }),
        ...(change !== undefined && { change }),
        ...(onset !== undefined && { onset }),
      },
    ],
    findings: [finding, ...ranking.rejected.flatMap((each) => rejectedFinding(each, names, last))],
    candidates: candidatesOf(known, confidence),
    suffering,
  };
}

/**
 * A suspect is no root cause if something that it depends on was measured to be unwell, and all that was measured at the suspect itself,
 * which may be nothing, is explained by that: telemetry shows trouble where it is recorded, which may be above a node without
 * telemetry. A suspect that a change explains stays.
 * @param measured findings, and the ids of the nodes that these explain by others
 */
export function withoutExplained(
  ranked: RankedConclusion,
  { nodes }: Pick<Topology, 'nodes'>,
  measured: { findings: readonly Finding[]; downstream: readonly string[] },
): RankedConclusion {
  const [first] = ranked.rootCauses;
  if (first === undefined || first.change !== undefined) return ranked;
  const unwell = new Set(measured.findings.filter(isTrouble).map(({ node }) => node));
  const isExplained = unwell.has(first.node)
    ? measured.downstream.includes(first.node)
    : [...reachOf(nodes, first.node)].some((id) => unwell.has(id));
  if (!isExplained) return ranked;
  const [finding, ...others] = ranked.findings;
  const note = { severity: 'info', symptom: 'advisory' } as const;
  return {
    ...ranked,
    ...{ rootCauses: [], suffering: [] },
    findings: finding ? [{ ...finding, ...note }, ...others] : [],
  };
}

/**
 * A claim of an agent about the suspect that rests on the ranking says the same as the finding of the ranking: it becomes the
 * explanation of that.
 */
export function explainedBy(
  ranked: RankedConclusion,
  claims: readonly Finding[],
): { findings: Finding[]; claims: Finding[] } {
  const [suspect, ...others] = ranked.findings;
  const restates = (claim: Finding) =>
    suspect !== undefined &&
    isTrouble(suspect) &&
    isTrouble(claim) &&
    claim.node === suspect.node &&
    claim.evidence.some((sequence) => suspect.evidence.includes(sequence));
  const words = claims
    .filter(restates)
    .map(({ title, detail }) => joinSentences(title, detail))
    .join(' ');
  if (suspect === undefined || words === '')
    return { findings: ranked.findings, claims: [...claims] };
  return {
    findings: [{ ...suspect, explanation: clip(words, MOST_EXPLANATION) }, ...others],
    claims: claims.filter((claim) => !restates(claim)),
  };
}

/**
 * Joins what telemetry says of a suspect with what was measured at its node: it explains what either says. One of which telemetry
 * shows no kind of failure has the kind and the title of the latter.
 */
export const namedBy =
  (measured: readonly RootCause[]) =>
  (ranked: RootCause): RootCause => {
    const own = measured.find(({ node }) => node === ranked.node);
    const explains = [...new Set([...(own?.explains ?? []), ...(ranked.explains ?? [])])];
    const suspect = { ...ranked, ...(explains.length > 0 && { explains }) };
    if (suspect.kind !== 'unknown' || own?.kind === undefined) return suspect;
    const evidence = new Set([...suspect.evidence, ...own.evidence]);
    return {
      ...{ ...suspect, kind: own.kind, title: own.title },
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

/** Whether trouble of a node can show at another one: that depends on it, it depends on that, or both depend on a third one. */
function isBeside(nodes: Topology['nodes'], id: string, cause: string): boolean {
  const reach = reachOf(nodes, id);
  return id !== cause && [...reachOf(nodes, cause)].some((each) => reach.has(each));
}

/** A node and all that it depends on, directly or not. */
function reachOf(nodes: Topology['nodes'], id: string): Set<string> {
  const dependencies = new Map(nodes.map((node) => [node.id, node.dependsOn]));
  const reached = new Set([id]);
  for (const each of reached) for (const next of dependencies.get(each) ?? []) reached.add(next);
  return reached;
}

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
  parts.length === 0 ? '' : `${parts.join('; ')}.`;

/** Scores from 0 to 1 in the order of the ranking: the first one's is its confidence; the same score stays the same. */
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
