import type { FailureKind } from '../domain/diagnosis/failure-kind.js';
import { callsIn, reachOf } from './call-graph.js';
import type { Observations } from './observations.js';
import type { RankedCause } from './ranking.js';
import { quietUntilOf, type IncidentFrame, type Series } from '../domain/telemetry/records.js';
import { finitePoints } from './series/finite-points.js';
import { saturatedCauses } from './series/saturated-causes.js';
import { meaningOf, nameOfSeries } from './series/meaning-of-metric.js';
import { interquartileRange, median, showNumber } from './stats.js';

const LEAST_POINTS = 10;
const MOST_CAUSES = 10;
const MOST_SAID = 4;
/** A failure is reported this long after it began, and reports describe the present. */
const LEAD_MS = 15 * 60_000;

interface JoinedSeries {
  name: string;
  node: string;
  usual: number[];
  now: number[];
}

/**
 * The minimum spread, as a share of the usual value: a nearly constant series is not measured more
 * precisely.
 */
const LEAST_SPREAD = 0.02;
/** From this many spreads on a node is failing, and explains its callers. */
const UNHEALTHY = 8;
const FROM_NOTHING = 20;
/** Moves by less are noise, whatever else was recorded. */
const LEAST_OFF = 3;
const EXPLAINED = 0.25;
/** Metrics of a machine are those of everything that runs on it. */
const OF_HOST = /^node_/;
const SHARED = 0.4;

interface Deviation {
  /** In spreads of the usual values. */
  off: number;
  score: number;
  says: string;
  kind: FailureKind;
  spreads: boolean;
}

/**
 * Ranks nodes by how far their worst series moved from the baseline in its bad direction, in
 * interquartile ranges, if there are only metrics: the robust scorer of BARO (Pham, Ha, Zhang, FSE
 * 2024). A resource is more specific to a cause than errors and waits, which callers show too, and
 * which a failing callee explains.
 */
export function rankByDeviation(seen: Observations): RankedCause[] {
  const { series, frame } = seen;
  const found = new Map<string, Deviation[]>();
  for (const each of join(series, frame)) {
    const deviation = deviationOf(each);
    if (deviation) found.set(each.node, [...(found.get(each.node) ?? []), deviation]);
  }
  const calls = callsIn(seen);
  const isUnhealthy = (id: string) => (found.get(id) ?? []).some(({ off }) => off >= UNHEALTHY);
  const full = [
    ...new Map(
      saturatedCauses(series, frame)
        .toReversed()
        .map((each) => [each.node, each]),
    ).values(),
  ];
  const others = [...found]
    .map(([node, deviations]): RankedCause => {
      const isExplained = [...reachOf(node, calls)].some(
        (id) => id !== node && isUnhealthy(id) && !reachOf(id, calls).has(node),
      );
      const weighed = deviations
        .map(({ score, spreads, says, kind }) => ({
          says,
          kind,
          score: score * (spreads && isExplained ? EXPLAINED : 1),
        }))
        .toSorted((a, b) => b.score - a.score);
      const [{ score, kind, says } = { score: 0, kind: 'unknown' as const, says: '' }] = weighed;
      return {
        node,
        kind,
        score,
        confidence: 0.3,
        title: says,
        for: weighed.slice(0, MOST_SAID).map((each) => each.says),
        against: [
          'only metrics were recorded',
          ...(isExplained ? ['one of its dependencies is also unhealthy'] : []),
        ],
      };
    })
    .filter(({ node }) => !full.some((each) => each.node === node));
  return [...full, ...others].toSorted((a, b) => b.score - a.score).slice(0, MOST_CAUSES);
}

function deviationOf({ name, usual, now }: JoinedSeries): Deviation | undefined {
  if (usual.length < LEAST_POINTS || now.length === 0 || (isFlat(usual) && isFlat(now)))
    return undefined;
  // A metric with an unknown meaning may show at callers too.
  const { worse = 1, kind = 'unknown', tells = 0.5, spreads = true } = meaningOf(name) ?? {};
  const middle = median(usual);
  const worst = worse * Math.max(...lasting(now.map((value) => worse * value)));
  const spread = Math.max(interquartileRange(usual), LEAST_SPREAD * Math.abs(middle));
  const change = worse * (worst - middle);
  if (!(change > 0)) return undefined;
  // A series that was always zero has no scale of its own.
  const off = spread > 0 ? change / spread : FROM_NOTHING;
  if (off < LEAST_OFF) return undefined;
  const says = `${name} ${worse > 0 ? 'rose' : 'fell'} from ${showNumber(middle)} to ${showNumber(worst)}`;
  return {
    off,
    score: Math.log10(1 + off) * (OF_HOST.test(name) ? SHARED : 0.5 + 0.75 * tells),
    says,
    kind,
    spreads,
  };
}

/** Values without spikes of a single point: the middle one of each three. */
const lasting = (values: readonly number[]): readonly number[] =>
  values.length < 3 ? values : values.slice(2).map((_, i) => median(values.slice(i, i + 3)));

const isFlat = (values: readonly number[]): boolean => values.every((value) => value === values[0]);

/**
 * The points of each series in normal time, and those of the incident. A short baseline is less
 * informative than the time before the report.
 */
function join(series: readonly Series[], frame: IncidentFrame): JoinedSeries[] {
  const joined = new Map<string, JoinedSeries & { quiet: number[] }>();
  const { baseline } = frame;
  const quietUntil = quietUntilOf(frame);
  const since = (frame.reportedAt ?? frame.now) - LEAD_MS;
  for (const each of series) {
    const { node, labels } = each;
    if (node === undefined) continue;
    const name = nameOfSeries(each);
    const { times, values } = finitePoints(each);
    const key = JSON.stringify([name, labels]);
    const known = joined.get(key) ?? { name, node, usual: [], quiet: [], now: [] };
    joined.set(key, known);
    values.forEach((value, i) => {
      const at = times[i] ?? NaN;
      const isUsual = baseline && at >= baseline.from && at <= baseline.to;
      (isUsual
        ? known.usual
        : at < Math.min(quietUntil, since)
          ? known.quiet
          : at < since
            ? []
            : known.now
      ).push(value);
    });
  }
  return [...joined.values()].map(({ usual, quiet, ...rest }) => ({
    ...rest,
    usual: usual.length >= LEAST_POINTS ? usual : [...usual, ...quiet],
  }));
}
