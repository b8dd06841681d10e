import type { Finding, RootCause } from './finding.js';
import type { RankedConclusion } from './ranked-causes.js';
import type { CauseAnalysis } from './root-cause.js';

const MOST_CANDIDATES = 50;
/** Scores of suspects that are no root causes. */
const SCORE = { hinted: 0.3, downstream: 0.2, notExcluded: 0.1 } as const;

/**
 * All suspects, also of an interrupted run: the root causes in their order, then those of the
 * ranking, then nodes that the rules select, that failing answers name, that are affected, and that
 * are not ruled out. Scores never increase.
 * @param hints findings that answers of other nodes make
 */
export function candidatesOf(
  reported: readonly RootCause[],
  ranked: RankedConclusion,
  { rootCauses, downstream }: CauseAnalysis,
  hints: readonly Pick<Finding, 'node'>[],
): { node: string; score: number }[] {
  const scores = new Map<string, number>();
  let least = 1;
  const add = (node: string, score: number) => {
    if (scores.has(node)) return;
    least = Math.min(score, least);
    scores.set(node, least);
  };
  for (const { node, confidence } of reported) add(node, confidence);
  // A doubt about the first suspect of a ranking does not change the distance of the others to it.
  const [first] = ranked.candidates;
  const sure = reported.find(({ node }) => node === first?.node)?.confidence ?? 1;
  const left = first && first.score > 0 ? Math.min(1, sure / first.score) : 1;
  for (const { node, score } of ranked.candidates) add(node, Number((score * left).toPrecision(8)));
  for (const { node, confidence } of rootCauses) add(node, confidence);
  for (const { node } of hints) add(node, SCORE.hinted);
  for (const node of downstream) add(node, SCORE.downstream);
  for (const { not_excluded: doubts = [] } of rootCauses)
    for (const { node } of doubts) add(node, SCORE.notExcluded);
  return [...scores].slice(0, MOST_CANDIDATES).map(([node, score]) => ({ node, score }));
}
