import type { Issue } from '../../domain/diagnosis/tool-result.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import { alertKey, targetKey } from '../../sources/live/prometheus-reasons.js';
import type { MetricSample } from '../../sources/ports.js';
import { memoryLeak } from './memory-leak.js';
import { HOST_CHECKS } from './host-checks.js';
import { type CheckGroup, type MetricCheck, named, ratio } from './metric-check.js';
import { MONITORING_CHECKS } from './monitoring-checks.js';

const errors = ratio('share of failed requests', {
  above: 0.05,
  rated: { severity: 'critical', symptom: 'erroring', kind: 'exception' },
});
const errorRatio = (label: string): string =>
  `sum(rate(http_requests_total{$S,${label}=~"5.."}[5m])) / sum(rate(http_requests_total{$S}[5m]))`;

/**
 * The current value as a multiple of the value an hour and a day before; the label `before`
 * distinguishes them.
 */
const comparedWithBefore = (now: (offset: string) => string): string =>
  (
    [
      ['1h', 'an hour'],
      ['1d', 'a day'],
    ] as const
  )
    .map(
      ([offset, text]) =>
        `label_replace((${now('')}) / (${now(` offset ${offset}`)}), "before", "${text}", "", "")`,
    )
    .join(' or ');

/** For information: whether a change is a fault depends on all telemetry. */
const changed =
  (what: string, { above, below = 0 }: { above: number; below?: number }) =>
  ({ value, labels }: MetricSample): Issue | undefined =>
    !Number.isFinite(value) || (value <= above && value >= below)
      ? undefined
      : {
          severity: 'info',
          symptom: 'advisory',
          title: `${what} is ${Math.round(10 * value) / 10} times that of ${labels['before'] ?? 'before'} ago`,
          detail: `Compared over five minutes; noted above ${above}${below > 0 ? ` and below ${below}` : ''}.`,
        };

const full = ratio(
  'used space',
  { above: 0.97, rated: { severity: 'critical', symptom: 'saturated', kind: 'disk-full' } },
  { above: 0.85, rated: { severity: 'warning', symptom: 'saturated', kind: 'disk-full' } },
);

/**
 * The rules for each node. Others follow if the node is of their group. Limits: kubernetes-mixin
 * and node-mixin (Apache-2.0), awesome-prometheus-alerts (CC BY 4.0). Expressions cover minutes,
 * not only the moment: the rules of the mixins have a `for`. A metric that a node does not have
 * yields nothing.
 */
export const EVERY_NODE: readonly MetricCheck[] = [
  {
    name: 'up',
    expression: 'max_over_time(up{$S}[2m])',
    ofService: false,
    reason: { of: 'scrapes', keysOf: (labels) => [targetKey(labels)] },
    judge: (sample) =>
      sample.value !== 0
        ? undefined
        : {
            severity: 'critical',
            symptom: 'unreachable',
            title: `${named(sample)} answered no scrape of the last two minutes`,
            detail: 'Its metrics endpoint is down or cannot be reached from Prometheus (up is 0).',
          },
  },
  {
    name: 'alerts',
    expression: 'ALERTS{$S,alertstate="firing"}',
    ofService: false,
    reason: { of: 'alerts', keysOf: (labels) => [alertKey(labels), labels['alertname'] ?? ''] },
    judge: ({ labels }) => {
      const name = (labels['alertname'] ?? '?').slice(0, 100);
      // Alerts that always fire, to show that alerting works.
      if (name === 'Watchdog' || name === 'InfoInhibitor') return undefined;
      const said = kindOfText(name);
      return {
        severity: 'warning',
        symptom: 'erroring',
        alert: true,
        ...(said && { kind: said.kind }),
        title: `alert ${name} fires`,
        detail: `Prometheus evaluates its rule as true; severity ${labels['severity'] ?? 'not given'}.`,
      };
    },
  },
  { name: 'error_ratio', expression: errorRatio('code'), ofService: true, ...errors },
  {
    name: 'error_ratio_by_status',
    expression: errorRatio('status'),
    ofService: true,
    ...errors,
  },
  {
    name: 'throttled_ratio',
    expression:
      'sum by (container) (rate(container_cpu_cfs_throttled_periods_total{$S}[5m])) / sum by (container) (rate(container_cpu_cfs_periods_total{$S}[5m]))',
    ofService: true,
    ...ratio('throttled time', {
      above: 0.25,
      rated: { severity: 'warning', symptom: 'slow', kind: 'cpu-throttled' },
    }),
  },
  // Before the ratio, so that a leak near its end is named as a leak.
  memoryLeak,
  {
    name: 'memory_ratio',
    expression:
      'min_over_time((max by (container) (container_memory_working_set_bytes{$S,container!=""}) / max by (container) (container_spec_memory_limit_bytes{$S,container!=""} > 0))[5m:1m])',
    ofService: true,
    ...ratio('memory', {
      above: 0.9,
      rated: { severity: 'warning', symptom: 'saturated', kind: 'out-of-memory' },
    }),
  },
  {
    name: 'crash_loop',
    expression:
      'max by (container) (max_over_time(kube_pod_container_status_waiting_reason{$S,reason="CrashLoopBackOff"}[5m]))',
    ofService: true,
    judge: (sample) =>
      sample.value < 1
        ? undefined
        : {
            severity: 'critical',
            symptom: 'erroring',
            kind: 'crash-loop',
            title: `container ${named(sample)} is in CrashLoopBackOff`,
            detail: 'It ends repeatedly after it was started.',
          },
  },
  {
    name: 'oom_killed',
    expression:
      'max by (pod, container) (kube_pod_container_status_last_terminated_reason{$S,reason="OOMKilled"}) == 1 and max by (pod, container) (increase(kube_pod_container_status_restarts_total{$S}[30m])) > 0',
    ofService: false,
    judge: (sample) => ({
      severity: 'warning',
      symptom: 'saturated',
      kind: 'out-of-memory',
      title: `container ${named(sample)} was ended for lack of memory in the last 30 minutes`,
      detail: 'It was restarted, and its last end was OOMKilled: it needed more than its limit.',
    }),
  },
  {
    name: 'volume_ratio',
    expression:
      '1 - kubelet_volume_stats_available_bytes{$S} / kubelet_volume_stats_capacity_bytes{$S}',
    ofService: true,
    ...full,
  },
  {
    name: 'file_system_ratio',
    expression:
      '1 - node_filesystem_avail_bytes{$S,fstype!~"tmpfs|overlay|squashfs"} / node_filesystem_size_bytes{$S,fstype!~"tmpfs|overlay|squashfs"}',
    ofService: true,
    ...full,
  },
  {
    name: 'open_files_ratio',
    expression: 'process_open_fds{$S} / process_max_fds{$S}',
    ofService: true,
    ...ratio('share of open file descriptors', {
      above: 0.9,
      rated: { severity: 'warning', symptom: 'saturated', kind: 'capacity' },
    }),
  },
  {
    name: 'traffic_change',
    expression: comparedWithBefore((offset) => `sum(rate(http_requests_total{$S}[5m]${offset}))`),
    ofService: false,
    judge: changed('traffic', { above: 2, below: 0.5 }),
  },
  {
    name: 'latency_change',
    expression: comparedWithBefore(
      (offset) =>
        `histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket{$S}[5m]${offset})))`,
    ),
    ofService: false,
    judge: changed('latency (p99)', { above: 2 }),
  },
];

/** Rules that are evaluated if the node is of their kind. */
export const GROUPS: readonly CheckGroup[] = [HOST_CHECKS, MONITORING_CHECKS];
