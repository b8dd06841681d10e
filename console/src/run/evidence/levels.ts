import { fieldsOf, listOf, numberOf, textOf, type Fields } from '../../model/read.js';
import { number } from '../../model/number.js';
import { bytes, duration } from '../../ui/format.js';

/** A measured value against the threshold that a tool held it against. */
export interface Level {
  metric: string;
  label: string;
  value: number;
  limit: number;
  /** The end of the scale. */
  most: number;
  text: string;
  /** The threshold in words: `at most 90 %`. */
  rule: string;
  bad: boolean;
}

/** Values that have a picture of their own. */
const PICTURED = new Set([
  'memory_percent',
  'disk_percent',
  'load_per_core',
  'days_left',
  'latency_ms',
  'connect_ms',
  'lookup_ms',
]);
const MOST_LEVELS = 6;

/**
 * Values of a result that it names a threshold for (`thresholds: [{metric, most?, least?}]`), those
 * that passed theirs first. A value stands in `measurements` by the name of the metric, or in
 * `measurements.series: [{series, value, change?}]`.
 */
export function levelsIn(result: unknown): Level[] {
  const { thresholds, measurements } = fieldsOf(result);
  const measured = fieldsOf(measurements);
  return listOf(thresholds)
    .flatMap((each): Level[] => {
      const { metric: named, most, least } = fieldsOf(each);
      const metric = textOf(named);
      const limit = numberOf(most) ?? numberOf(least);
      const value = valueOf(measured, metric);
      if (limit === undefined || value === undefined || PICTURED.has(metric)) return [];
      const isLeast = numberOf(most) === undefined;
      const bad = isLeast ? value < limit : value > limit;
      const inUnits = unitOf(metric);
      const end = metric.endsWith('_percent') ? 100 : Math.max(value, limit);
      return [
        {
          metric,
          label: labelOf(metric),
          value,
          limit,
          most: end,
          text: inUnits(value),
          rule: `at ${isLeast ? 'least' : 'most'} ${inUnits(limit)}`,
          bad,
        },
      ];
    })
    .toSorted((a, b) => Number(b.bad) - Number(a.bad))
    .slice(0, MOST_LEVELS);
}

const INCREASE = ' increase';

function valueOf(measured: Fields, metric: string): number | undefined {
  const own = numberOf(measured[metric]) ?? numberOf(fieldsOf(measured['greatest'])[metric]);
  if (own !== undefined) return own;
  const rose = metric.endsWith(INCREASE);
  const name = rose ? metric.slice(0, -INCREASE.length) : metric;
  const series = listOf(measured['series']).map((each) => fieldsOf(each));
  return numberOf(series.find((each) => each['series'] === name)?.[rose ? 'change' : 'value']);
}

const UNITS: [suffix: string, text: (value: number) => string][] = [
  ['_percent', (value) => `${number(value)} %`],
  ['_ratio', (value) => `${number(Math.round(value * 1_000) / 10)} %`],
  ['_bytes', bytes],
  ['_ms', duration],
];

const unitOf = (metric: string): ((value: number) => string) =>
  UNITS.find(([suffix]) => metric.endsWith(suffix))?.[1] ?? number;

/** `connections_percent` as `Connections`; a series keeps its name. */
function labelOf(metric: string): string {
  if (!/^[a-z_]+$/.test(metric)) return metric;
  const [suffix = ''] = UNITS.find(([each]) => metric.endsWith(each)) ?? [];
  const words = metric.slice(0, metric.length - suffix.length).replaceAll('_', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
