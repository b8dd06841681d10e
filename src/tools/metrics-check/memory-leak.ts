import { type MetricCheck, named, percent } from './metric-check.js';

/**
 * Memory as a share of its limit: of containers (cAdvisor), and of the heap of a JVM (Micrometer,
 * client_java).
 */
const SHARE = `(${[
  [
    'pod, container',
    'container_memory_working_set_bytes',
    'container_spec_memory_limit_bytes',
    'container!=""',
  ],
  ['instance', 'jvm_memory_used_bytes', 'jvm_memory_max_bytes', 'area="heap"'],
]
  .map(
    ([by, used, limit, only]) =>
      `sum by (${by}) (${used}{$S,${only}}) / sum by (${by}) (${limit}{$S,${only}} > 0)`,
  )
  .join(' or ')})`;

const HOURS = 4;
/**
 * The lowest share of a quarter of an hour that ended this many minutes ago: for a heap, the use
 * after a collection.
 */
const lowest = (minutes: number) =>
  `min_over_time(${SHARE}[15m:1m]${minutes === 0 ? '' : ` offset ${minutes}m`})`;

/**
 * Rose in each quarter of the last hour by at least a hundredth of the limit, to more than half of
 * it. A series that steps up once, levels off like a cache, or goes up and down does not match; one
 * that began less than an hour ago is not judged.
 */
const STEADILY = [
  `${lowest(0)} > 0.5`,
  ...[0, 15, 30].map((minutes) => `${lowest(minutes)} > ${lowest(minutes + 15)} + 0.01`),
].join(' and ');

/**
 * Memory that rises steadily, and at this pace reaches its limit within four hours.
 * `predict_linear` is what kubernetes-mixin (Apache-2.0) uses for volumes that fill up. The value
 * is the share of the limit: the predicted one if it rises in this way, otherwise the current one.
 */
export const memoryLeak: MetricCheck = {
  name: 'memory_in_four_hours',
  expression: `(predict_linear(${SHARE}[1h:1m], ${HOURS * 3_600}) and ${STEADILY}) or ${SHARE}`,
  ofService: true,
  judge: (sample) =>
    sample.value <= 1
      ? undefined
      : {
          severity: 'warning',
          symptom: 'saturated',
          kind: 'memory-leak',
          title: `memory of ${named(sample)} rises steadily: at this pace it reaches its limit within ${HOURS} h`,
          detail: `Its lowest value rose from each quarter of the last hour to the next. What it would need in ${HOURS} h at this pace is ${percent(sample.value)} of the limit.`,
        },
};
