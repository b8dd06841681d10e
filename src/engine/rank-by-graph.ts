import { attributeOverGraph, type EndMetric, type NodeMetric } from './series/graph-attribution.js';
import { mainAlert, nodeOfAlert, textOfAlert } from './alert-subject.js';
import type { Observations } from './observations.js';
import type { RankedCause } from './ranking.js';
import type { Series } from '../domain/telemetry/records.js';
import { interquartileRange, median, quantile, showNumber } from './stats.js';

type Measure = EndMetric | 'requests';

const MEASURES: readonly [Measure, RegExp][] = [
  ['latency', /latency|duration|response.?time/i],
  ['availability', /availab|success.?rate/i],
  ['requests', /(^|[_.])requests?([_.](total|count))?$|request.?count/i],
];
/** Background work beside the requests of a service has its own durations and counts. */
const ASIDE = /gc|scrape|garbage|compaction|rule_?evaluation|probe|reconcile|client/i;
const measureOf = (name: string): Measure | undefined =>
  ASIDE.test(name) ? undefined : MEASURES.find(([, pattern]) => pattern.test(name))?.[0];
/** Of the statistics of one metric, the one that adds up over requests. */
const STATISTIC: Record<Measure, string> = {
  latency: 'Average',
  availability: 'Average',
  requests: 'Sum',
};

const LEAST_NODES = 5;
const MOST_CAUSES = 10;

/** End-to-end metrics by node and measure, the baseline apart. */
export class GraphMetrics {
  private readonly known = new Map<string, NodeMetric>();

  constructor({ series, frame }: Observations) {
    const { baseline } = frame;
    const inBaseline = (at: number | undefined) =>
      baseline !== undefined && at !== undefined && at >= baseline.from && at <= baseline.to;
    for (const each of series) {
      const measure = measureOf(each.name);
      if (measure === undefined || each.node === undefined || !isMain(each, measure)) continue;
      const key = `${each.node}\t${measure}`;
      const known = this.known.get(key) ?? { times: [], values: [], baseline: [] };
      const scale = measure === 'availability' && isShare(each.values) ? 100 : 1;
      const rows = each.times.map((at, i) => ({ at, value: (each.values[i] ?? NaN) * scale }));
      const now = rows.filter(({ at }) => !inBaseline(at));
      this.known.set(key, {
        times: [...known.times, ...now.map(({ at }) => at)],
        values: [...known.values, ...now.map(({ value }) => value)],
        baseline: [
          ...known.baseline,
          ...rows.filter(({ at }) => inBaseline(at)).map(({ value }) => value),
        ],
      });
    }
  }

  of(node: string, measure: Measure): NodeMetric | undefined {
    return this.known.get(`${node}\t${measure}`);
  }

  /** Enough nodes have one of the metrics, and request counts as weights. */
  isWide(metrics: readonly EndMetric[] = ['latency', 'availability']): boolean {
    const isOfMany = (measure: Measure) => this.nodesWith(measure) >= LEAST_NODES;
    return metrics.some(isOfMany) && isOfMany('requests');
  }

  private nodesWith(measure: Measure): number {
    return [...this.known.keys()].filter((key) => key.endsWith(`\t${measure}`)).length;
  }
}

/** Availability is a share of one, or a percentage: the values show which. */
const isShare = (values: readonly number[]): boolean => values.every((value) => !(value > 1));

const isMain = ({ labels }: Series, measure: Measure): boolean =>
  labels['stat'] === undefined || labels['stat'] === STATISTIC[measure];

/**
 * The node and the metric that an alert is about, where enough nodes have that metric and request
 * counts to follow the graph.
 */
export function graphTarget(
  seen: Observations,
  metrics: GraphMetrics,
): { node: string; metric: EndMetric } | undefined {
  const alert = mainAlert(seen);
  const node = nodeOfAlert(seen);
  const metric =
    measureOf(alert?.labels['metric'] ?? '') ?? (alert && measureOf(textOfAlert(alert)));
  if (node === undefined || metric === undefined || metric === 'requests') return undefined;
  return metrics.isWide([metric]) ? { node, metric } : undefined;
}

export function rankByGraph(
  { nodes }: Observations,
  metrics: GraphMetrics,
  { node: target, metric }: { node: string; metric: EndMetric },
): RankedCause[] {
  const found = attributeOverGraph(nodes, target, metric, {
    metric: (node) => metrics.of(node, metric),
    requests: (node) => requestsOf(node, nodes, metrics),
  });
  const [extra, is, that] =
    metric === 'latency' ? ['extra time', 'is', 'that'] : ['extra failures', 'are', 'those'];
  const top = found[0]?.score ?? 0;
  const second = found[1]?.score ?? 0;
  return found.slice(0, MOST_CAUSES).map((each, rank): RankedCause => {
    const { node, score, own, amount, deviations, usual, now } = each;
    const surge = surgeOf(node, nodes, metrics);
    // Ties are broken by how far a node is from its usual values.
    const ordered = Number((score + 1e-6 * Math.min(1e5, deviations)).toPrecision(8));
    return {
      node,
      score: ordered,
      kind: surge ? 'traffic-surge' : metric === 'latency' ? 'latency' : 'exception',
      confidence: rank === 0 ? graphConfidence(top, second) : Math.min(0.3, score / 3),
      title: `accounts for ${shareOf(own)} of the ${extra} at ${target}`,
      for: [
        `${metric} went from ${showNumber(usual)} to ${showNumber(now)}, ${showNumber(deviations)} times its usual spread`,
        `its ${extra} ${is} ${amount > 1 ? 'more than' : `${percent(amount)} of`} ${that} at ${target}; ${shareOf(own)} without ${that} of the nodes that it depends on`,
        ...(surge ? [surge] : []),
      ],
      against: [
        ...(deviations < 2 ? ['its values are close to its usual ones'] : []),
        ...(own < 0.3 && amount > 0.3 ? ['what it depends on accounts for most of it'] : []),
      ],
    };
  });
}

const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`;

/**
 * A node may have more extra time or failures than the target: it has other callers, and a retry
 * hides a failure.
 */
const shareOf = (ratio: number): string => (Math.round(ratio * 100) < 100 ? percent(ratio) : 'all');

/** The requests of a node; if they were not recorded, those of a caller or a callee. */
function requestsOf(
  id: string,
  nodes: Observations['nodes'],
  metrics: GraphMetrics,
): NodeMetric | undefined {
  const callers = nodes.filter(({ dependsOn }) => dependsOn.includes(id)).map((node) => node.id);
  const callees = nodes.find((node) => node.id === id)?.dependsOn ?? [];
  for (const each of [id, ...callers, ...callees]) {
    const requests = metrics.of(each, 'requests');
    if (requests) return requests;
  }
  return undefined;
}

/** The factor of the usual requests that is a surge. */
const SURGE = 1.8;

/** Describes how many more requests a node receives, if its callers receive more as well. */
function surgeOf(
  id: string,
  nodes: Observations['nodes'],
  metrics: GraphMetrics,
): string | undefined {
  const growthOf = (node: string): number | undefined => {
    const { values = [], baseline = [] } = metrics.of(node, 'requests') ?? {};
    const [now, usual] = [values, baseline].map((list) => median(list.filter(Number.isFinite)));
    return now && usual ? now / usual : undefined;
  };
  const growth = growthOf(id) ?? 1;
  const callers = nodes.filter(({ dependsOn }) => dependsOn.includes(id));
  const isAsked = callers.every((caller) => (growthOf(caller.id) ?? Infinity) >= SURGE);
  return growth >= SURGE && isAsked
    ? `it gets ${showNumber(growth)} times as many requests as usual`
    : undefined;
}

/** Higher if the first suspect accounts for most, and the second for much less. */
const graphConfidence = (top: number, second: number): number =>
  Math.min(0.95, 0.35 + 0.4 * Math.min(1, top) + 0.25 * (top > 0 ? 1 - second / top : 0));

const LEAST_BASELINE = 50;
const LEAST_REQUESTS = 50;
const FAR_OUT = 6;

/**
 * Nodes without callers that are clearly worse than in the baseline, if there is no alert: worse
 * than 99.9 % of it in two intervals, and by six times its spread. Rarely called nodes have no
 * stable rate.
 */
export function degradedEntries({ nodes }: Observations, metrics: GraphMetrics): RankedCause[] {
  const called = new Set(nodes.flatMap(({ dependsOn }) => dependsOn));
  return nodes
    .filter(({ id }) => !called.has(id))
    .flatMap(({ id }) =>
      (['latency', 'availability'] as const).flatMap((metric): RankedCause[] => {
        const own = metrics.of(id, metric);
        const requests = metrics.of(id, 'requests')?.baseline ?? [0];
        if (own === undefined || own.values.length === 0) return [];
        if (own.baseline.length < LEAST_BASELINE || median(requests) < LEAST_REQUESTS) return [];
        const sign = metric === 'latency' ? 1 : -1;
        const base = own.baseline.map((value) => sign * value);
        const usual = median(base);
        const second =
          own.values.map((value) => sign * value).toSorted((a, b) => b - a)[1] ?? -Infinity;
        const spread = Math.max(interquartileRange(base), metric === 'availability' ? 0.3 : 0);
        if (second <= quantile(base, 0.999) || second - usual <= FAR_OUT * spread) return [];
        const says = `${metric} reached ${showNumber(sign * second)}, usually ${showNumber(sign * usual)}`;
        const kind = metric === 'latency' ? 'latency' : 'exception';
        return [
          { node: id, kind, score: 1, confidence: 0.4, title: says, for: [says], against: [] },
        ];
      }),
    );
}
