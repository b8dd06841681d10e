import type { Observations } from './observations.js';
import type { RankedCause } from './ranking.js';
import type { Series } from './records.js';
import { finitePoints } from './series/finite-points.js';
import { interquartileRange, median, showNumber } from './stats.js';

const LEAST_POINTS = 10;
const MOST_CAUSES = 10;

interface Joined {
  name: string;
  node: string;
  usual: number[];
  now: number[];
}

/**
 * Ranks nodes by how far their worst series rose above the baseline, in its interquartile ranges, where there is nothing but
 * metrics: the robust scorer of BARO (Pham, Ha, Zhang, FSE 2024). One-sided: a fall of load is no fault.
 */
export function rankByDeviation({ series, frame }: Observations): RankedCause[] {
  const best = new Map<string, RankedCause>();
  for (const { name, node, usual, now } of join(series, frame.baseline)) {
    if (usual.length < LEAST_POINTS || now.length === 0 || isFlat(usual) || isFlat(now)) continue;
    // Bytes of memory would outweigh everything else by their unit alone.
    const scale = /mem/i.test(name) ? 1e-6 : 1;
    const middle = median(usual);
    const top = Math.max(...now);
    const score = ((top - middle) * scale) / (interquartileRange(usual) * scale || 1);
    if (score <= (best.get(node)?.score ?? 0)) continue;
    const says = `${name} rose from ${showNumber(middle)} to ${showNumber(top)}`;
    const kind = /cpu/i.test(name)
      ? 'cpu-saturated'
      : /mem/i.test(name)
        ? 'memory'
        : /latency|duration/i.test(name)
          ? 'latency'
          : 'unknown';
    best.set(node, {
      node,
      kind,
      score,
      confidence: 0.3,
      title: says,
      for: [says],
      against: ['only metrics were recorded'],
    });
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, MOST_CAUSES);
}

const isFlat = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

function join(
  series: readonly Series[],
  baseline: { from: number; to: number } | undefined,
): Joined[] {
  const joined = new Map<string, Joined>();
  for (const each of series) {
    const { name, node, labels } = each;
    if (node === undefined) continue;
    const { times, values } = finitePoints(each);
    const key = JSON.stringify([name, labels]);
    const known = joined.get(key) ?? { name, node, usual: [], now: [] };
    joined.set(key, known);
    values.forEach((value, i) => {
      const at = times[i] ?? NaN;
      const usual = baseline && at >= baseline.from && at <= baseline.to;
      (usual ? known.usual : known.now).push(value);
    });
  }
  return [...joined.values()];
}
