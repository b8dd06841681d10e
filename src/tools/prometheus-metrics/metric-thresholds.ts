import { z } from 'zod';
import { schemaFaults } from '../../config/schema-faults.js';
import { SYMPTOMS } from '../../domain/diagnosis/finding.js';
import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { meaningOf } from '../../engine/series/meaning-of-metric.js';
import { parseSelector, type PrometheusSample, selects } from './prometheus-line.js';
import { atLeast, atMost, type CheckedValue, round } from '../result.js';

/** A series, and its increase between two reads; no change if it was missing in the first. */
export interface SeriesDelta {
  sample: PrometheusSample;
  change?: number;
  reset?: boolean;
}

const thresholdSchema = z.record(
  z.string(),
  z.strictObject({
    max: z.number().optional(),
    min: z.number().optional(),
    /** In the interval between the two reads. */
    maxIncrease: z.number().optional(),
    severity: z.enum(['critical', 'warning']).default('warning'),
    symptom: z.enum(SYMPTOMS).default('advisory'),
  }),
);
type Limits = z.infer<typeof thresholdSchema>[string];
export interface MetricThreshold extends Limits {
  /** `name` or `name{label="x"}`, as it was written. */
  text: string;
  selector: Pick<PrometheusSample, 'name' | 'labels'>;
}

/**
 * Attribute `metrics`: `{"name" or "name{label=\"x\"}": {max?, min?, maxIncrease?, severity?,
 * symptom?}}`. A selector matches every series that has its name and labels. `severity` defaults to
 * `warning` and `symptom` to `advisory`.
 * @throws for any other value
 */
export function thresholdsOf(node: TopologyNode): MetricThreshold[] {
  const read = schemaFaults(thresholdSchema, node.attributes['metrics'] ?? {});
  if ('faults' in read) {
    const [{ path, message } = { path: '', message: '' }] = read.faults;
    throw new Error(
      `attribute metrics of node ${node.id} must be {"name{label=\\"x\\"}": {max?, min?, maxIncrease?}}: ${path} ${message}`.slice(
        0,
        300,
      ),
    );
  }
  return Object.entries(read.value).map(([text, limits]) => {
    const selector = parseSelector(text);
    if (!selector)
      throw new Error(
        `attribute metrics of node ${node.id}: ${JSON.stringify(text.slice(0, 80))} is no metric name with or without labels`,
      );
    return { text, selector, ...limits };
  });
}

/**
 * Judges series by thresholds, and selects the series that have one. A missing metric is an issue,
 * if the page was read to its end (`isWhole`).
 */
export function judgeThresholds(
  thresholds: readonly MetricThreshold[],
  changes: readonly SeriesDelta[],
  { intervalMs, isWhole }: { intervalMs: number; isWhole: boolean },
): { issues: Issue[]; judged: CheckedValue[]; selected: SeriesDelta[] } {
  const issues: Issue[] = [];
  const judged: CheckedValue[] = [];
  const selected = new Set<SeriesDelta>();
  for (const { text, selector, max, min, maxIncrease, severity, symptom } of thresholds) {
    const found = changes.filter(({ sample }) => selects(selector, sample));
    if (found.length === 0) issues.push(isWhole ? missing(text) : notReached(text));
    for (const each of found) {
      selected.add(each);
      const key = each.sample.key.slice(0, 160);
      const { value } = each.sample;
      if (Number.isNaN(value) || (maxIncrease !== undefined && Number.isNaN(each.change))) {
        issues.push(withoutValue(key));
        continue;
      }
      const over = (what: string, detail: string, worse: 1 | -1 = 1) =>
        issues.push({
          severity,
          symptom,
          ...kindOf(selector.name, worse),
          title: `${key} ${what}`,
          detail,
        });
      if (max !== undefined && value > max) over(`is ${value}`, `Expected at most ${max}.`);
      if (min !== undefined && value < min) over(`is ${value}`, `Expected at least ${min}.`, -1);
      if (max !== undefined) judged.push(...atMost(key, value, max));
      if (min !== undefined) judged.push(...atLeast(key, value, min));
      if (maxIncrease !== undefined && each.change !== undefined) {
        if (each.change > maxIncrease)
          over(
            `rose by ${each.change} in ${intervalMs} ms`,
            `From ${round(value - each.change, 6)} to ${value}; expected a rise of at most ${maxIncrease}.`,
          );
        judged.push(...atMost(`${key} increase`, each.change, maxIncrease));
      }
    }
  }
  return { issues, judged, selected: [...selected] };
}

/** Names of metrics that are less specific may belong to any failure. */
const LEAST_TELLING = 0.6;

/** The failure that a metric's name indicates, if it is too large (1) or too small (-1). */
function kindOf(name: string, worse: 1 | -1): Pick<Issue, 'kind'> {
  const meaning = meaningOf(name);
  return meaning?.worse === worse && meaning.tells >= LEAST_TELLING ? { kind: meaning.kind } : {};
}

const missing = (text: string): Issue => ({
  severity: 'warning',
  symptom: 'invalid',
  title: `metric ${text.slice(0, 120)} is missing`,
  detail: 'A threshold is set for it, but the target does not expose it.',
});

/**
 * A summary without observations, or a target that could not read it: no limit is met or exceeded.
 */
const withoutValue = (key: string): Issue => ({
  severity: 'warning',
  symptom: 'invalid',
  title: `${key} has no value (NaN)`,
  detail: 'A threshold is set for it, and the target does not say how much it is.',
});

const notReached = (text: string): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title: `metric ${text.slice(0, 120)} is not in the part of the page that was read`,
  detail: 'A threshold is set for it; the page has more bytes or series than are read.',
});
