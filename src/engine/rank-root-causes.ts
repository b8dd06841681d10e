import { recentChanges } from './changes/recent-changes.js';
import { explainRejected } from './explain-rejected.js';
import { callsIn, reachOf } from './call-graph.js';
import { linesOfNodes } from './answers/lines-of-nodes.js';
import type { TellingLine } from './kubernetes/telling-lines.js';
import { joinEvidence } from './join-evidence.js';
import { findAnomalies } from './find-anomalies.js';
import type { Observations, Anomalies } from './observations.js';
import { GraphMetrics, graphTarget, rankByGraph, degradedEntries } from './rank-by-graph.js';
import { asNeighbour } from './noisy-neighbour.js';
import { rankByChanges } from './rank-by-changes.js';
import { rankByDeviation } from './rank-by-deviation.js';
import { LEAST_SPANS, rankByTraces } from './rank-by-traces.js';
import { withContainers } from './series/container-series.js';
import { withoutCounters } from './series/counter-rates.js';
import type { Method, RankedCause, Ranking } from './ranking.js';

/** A ranking without the rejected suspects yet. */
type BareRanking = Omit<Ranking, 'rejected' | 'recent'>;

/**
 * Ranks the root causes of an incident from all observations: by end-to-end metrics of many nodes
 * with an alert that names one; otherwise by whole traces; otherwise, and for nodes that these did
 * not measure, by onsets, logs and changes. Answers of other tools count if nothing else shows a
 * failure.
 * @param question what was asked, in words
 */
export function rankRootCauses(seen: Observations, question: string): Ranking {
  const ranking = rankByEvidence(seen, question);
  const { frame } = seen;
  const reportedAt = frame.reportedAt ?? frame.now;
  const rejected = explainRejected(seen, ranking.causes, ranking.changes, reportedAt);
  return { ...ranking, rejected, recent: recentChanges(seen) };
}

function rankByEvidence(recorded: Observations, question: string): BareRanking {
  const seen = {
    ...recorded,
    series: withoutCounters(withContainers(recorded.series, recorded.nodes)),
  };
  const metrics = new GraphMetrics(seen);
  const hasSignals = seen.series.length > 0 || seen.templates.length > 0 || seen.spans.length > 0;
  const byOutputs = () => ranking('tool outputs', rankByOutputs(seen, question));
  const hasOutputs = seen.recordings.length > 0 || seen.kubernetes.length > 0;
  // Objects of several nodes with their changes show which failed first, as signals do.
  const isOfNodes = seen.kubernetesByNode.size > 1 && seen.changes.length > 0;
  if (!hasSignals && hasOutputs && !isOfNodes) return byOutputs();
  const anomalies = findAnomalies(seen);
  if (anomalies.refutation !== undefined && !anomalies.showsFailure)
    return byChanges(seen, anomalies);
  const joined = (method: Method, causes: RankedCause[]) => {
    const all = joinEvidence(seen, anomalies, causes);
    const named = all.causes.map((cause) => asNeighbour(cause, seen, anomalies.moved));
    return { ...ranking(method, named), changes: all.changes };
  };
  const target = graphTarget(seen, metrics);
  if (target === undefined && seen.spans.length === 0 && seen.templates.length === 0) {
    if (seen.frame.reportedAt !== undefined && seen.frame.baseline) {
      const causes = rankByDeviation(seen);
      if (causes.length > 0 || !anomalies.isAlerted) return joined('metrics alone', causes);
    }
    if (!anomalies.isAlerted && metrics.isWide())
      return joined('metrics alone', degradedEntries(seen, metrics));
  }
  const others = byChanges(seen, anomalies);
  const [suspect] = others.causes;
  const spanned = new Set(seen.spans.map(({ node }) => node));
  const methods: [BareRanking, (node: string) => boolean][] = [];
  if (target)
    methods.push([
      joined('graph metrics', rankByGraph(seen, metrics, target)),
      (node) => metrics.of(node, target.metric) !== undefined,
    ]);
  if (seen.spans.length >= LEAST_SPANS)
    methods.push([joined('traces', rankByTraces(seen)), (node) => spanned.has(node)]);
  for (const [found, covers] of methods) {
    const [first] = found.causes;
    if (first === undefined) continue;
    // Unmeasured nodes are not cleared: other evidence about such a node counts if it is more
    // certain.
    const isMissed = suspect !== undefined && !covers(suspect.node);
    return isMissed && suspect.confidence > first.confidence ? others : found;
  }
  return suspect === undefined && seen.recordings.length > 0 ? byOutputs() : others;
}

/** By onsets, logs and changes, if anything is wrong. */
function byChanges(seen: Observations, anomalies: Anomalies): BareRanking {
  if (!anomalies.isAlerted && !anomalies.showsFailure)
    return {
      ...ranking('none', []),
      ...(anomalies.passed && { passed: anomalies.passed }),
      ...(anomalies.refutation !== undefined && { refutation: anomalies.refutation }),
    };
  const { causes, changes } = rankByChanges(seen, anomalies);
  return { ...ranking('changes', causes), changes, healthy: false };
}

const ranking = (method: Method, causes: RankedCause[]): BareRanking => ({
  healthy: causes.length === 0,
  causes,
  changes: [],
  method,
});

/**
 * The remaining factor of a sign that a node does not reach a callee which itself reports what
 * failed.
 */
const EXPLAINED = 0.5;
const NOT_REACHED: ReadonlySet<string> = new Set(['unreachable', 'timeout']);
const DECISIVE = 7;

/** By the lines of tool outputs, if nothing else was recorded. */
function rankByOutputs(seen: Observations, question: string): RankedCause[] {
  const calls = callsIn(seen);
  const causes = [...linesOfNodes(seen, question)].flatMap(([node, lines]) => causeIn(node, lines));
  const fails = new Set(
    causes.flatMap(({ node, kind, score }) =>
      score >= DECISIVE && kind !== 'unknown' && !NOT_REACHED.has(kind) ? [node] : [],
    ),
  );
  return causes
    .map((cause): RankedCause => {
      const failed = NOT_REACHED.has(cause.kind)
        ? [...reachOf(cause.node, calls)].find((id) => id !== cause.node && fails.has(id))
        : undefined;
      if (failed === undefined) return cause;
      const against = [`${failed}, which it calls, shows a failure of its own`];
      return { ...cause, score: cause.score * EXPLAINED, against };
    })
    .toSorted((a, b) => b.score - a.score);
}

function causeIn(node: string, lines: readonly TellingLine[]): RankedCause[] {
  const [first, ...others] = lines;
  if (first === undefined) return [];
  const { source, text } = first;
  const isNamed = source === undefined || text.includes(source.split('/').at(-1) ?? source);
  return [
    {
      node,
      kind: first.kind ?? 'unknown',
      ...(first.steps !== undefined && { steps: first.steps }),
      score: first.weight,
      confidence: Math.min(0.9, first.weight / 14),
      title: isNamed ? text : `${source}: ${text}`,
      for: (others.length > 0 ? others : lines).map((line) => line.text),
      against: [],
    },
  ];
}
