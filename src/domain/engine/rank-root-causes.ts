import { explainRejected } from './explain-rejected.js';
import { tellingLines, type TellingLine } from './kubernetes/telling-lines.js';
import { describeObjects } from './kubernetes/objects.js';
import { joinEvidence } from './join-evidence.js';
import { findTrouble, type Observations } from './observations.js';
import { GraphMetrics, graphTarget, rankByGraph, troubledEntries } from './rank-by-graph.js';
import { rankByChanges } from './rank-by-changes.js';
import { rankByDeviation } from './rank-by-deviation.js';
import { LEAST_SPANS, rankByTraces } from './rank-by-traces.js';
import type { ToolRecording } from './records.js';
import { withoutCounters } from './series/counter-rates.js';
import type { Method, RankedCause, Ranking } from './ranking.js';

/**
 * Ranks the root causes of an incident from all that was observed. Which evidence decides follows from what there is: end-to-end
 * metrics of many nodes with an alert that names one; whole traces; answers of other tools; else onsets, logs and changes.
 *
 * @param question what was asked, in words
 */
export function rankRootCauses(seen: Observations, question: string): Ranking {
  const ranking = rankByEvidence(seen, question);
  const { frame } = seen;
  const reportedAt = frame.reportedAt ?? frame.now;
  const rejected = explainRejected(seen, ranking.causes, ranking.changes, reportedAt);
  return { ...ranking, rejected };
}

function rankByEvidence(recorded: Observations, question: string): Omit<Ranking, 'rejected'> {
  const seen = { ...recorded, series: withoutCounters(recorded.series) };
  const metrics = new GraphMetrics(seen);
  const hasSignals = seen.series.length > 0 || seen.templates.length > 0 || seen.spans.length > 0;
  if (!hasSignals && (seen.recordings.length > 0 || seen.kubernetes.length > 0))
    return ranking('tool outputs', rankByOutputs(seen, question));
  const trouble = findTrouble(seen);
  const joined = (method: Method, causes: RankedCause[]) => {
    const all = joinEvidence(seen, trouble, causes);
    return { ...ranking(method, all.causes), changes: all.changes };
  };
  const target = graphTarget(seen, metrics);
  if (target) return joined('graph metrics', rankByGraph(seen, metrics, target));
  if (seen.spans.length === 0 && seen.templates.length === 0) {
    if (seen.frame.reportedAt !== undefined && seen.frame.baseline)
      return joined('metrics alone', rankByDeviation(seen));
    if (!trouble.isAlerted && seen.series.length > 0)
      return joined('metrics alone', troubledEntries(seen, metrics));
  }
  if (seen.spans.length >= LEAST_SPANS) return joined('traces', rankByTraces(seen));
  if (!trouble.isAlerted && !trouble.isTrouble) return ranking('none', []);
  const { causes, changes } = rankByChanges(seen, trouble);
  return { ...ranking('changes', causes), changes, healthy: false };
}

const ranking = (method: Method, causes: RankedCause[]): Omit<Ranking, 'rejected'> => ({
  healthy: causes.length === 0,
  ...{ causes, changes: [], method },
});

/**
 * By the lines of tool outputs, where nothing else was recorded. A node has the outputs of calls that name it and those of its own
 * objects; a call that names no node is about the first one: a cluster.
 */
function rankByOutputs(seen: Observations, question: string): RankedCause[] {
  const { recordings, kubernetesByNode, nodes } = seen;
  const nodeOf = ({ args }: ToolRecording): string | undefined =>
    (nodes.find(({ id }) => JSON.stringify(args).includes(id)) ?? nodes[0])?.id;
  return nodes
    .flatMap(({ id }) => {
      const named = recordings.filter((each) => nodeOf(each) === id);
      const objects = kubernetesByNode.get(id) ?? [];
      return causeIn(id, tellingLines([...named, ...describeObjects(objects)], question));
    })
    .toSorted((a, b) => b.score - a.score);
}

function causeIn(node: string, lines: readonly TellingLine[]): RankedCause[] {
  const [first] = lines;
  if (first === undefined) return [];
  return [
    {
      ...{ node, kind: first.kind ?? 'unknown', score: first.weight },
      confidence: Math.min(0.9, first.weight / 14),
      title: first.text,
      for: lines.map(({ text }) => text),
      against: [],
    },
  ];
}
