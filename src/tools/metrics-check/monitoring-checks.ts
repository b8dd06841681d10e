import type { Issue } from '../../domain/diagnosis/tool-result.js';
import type { MetricSample } from '../../sources/ports.js';
import type { CheckGroup, MetricCheck } from './metric-check.js';

/** The meaning of an event. */
type Meaning = Pick<Issue, 'title' | 'steps' | 'part'>;

/** An event that must not have happened recently, because monitoring is then incomplete. */
const never = (
  name: string,
  expression: string,
  meaning: (labels: MetricSample['labels']) => Meaning,
): MetricCheck => ({
  name,
  expression,
  ofService: true,
  judge: ({ value, labels }) =>
    value > 0
      ? {
          severity: 'warning',
          symptom: 'erroring',
          kind: 'infrastructure',
          ...meaning(labels),
          detail: 'In the last 15 minutes. Their results and alerts are missing.',
        }
      : undefined,
});

const WATCHDOG = 'ALERTS{alertname="Watchdog",alertstate="firing"}';

/** Rules about a Prometheus that is a node. Limits: prometheus-mixin (Apache-2.0). */
export const MONITORING_CHECKS: CheckGroup = {
  gate: 'max(prometheus_build_info{$S})',
  checks: [
    {
      ...never(
        'rule_failures',
        'sum by (rule_group) (increase(prometheus_rule_evaluation_failures_total{$S}[15m]))',
        // `FILE;GROUP`
        ({ rule_group: group = '?' }) => {
          const end = group.lastIndexOf(';');
          const file = end > 0 ? group.slice(0, end).slice(0, 255) : undefined;
          const shown = file === undefined ? '' : ` (${file})`;
          return {
            title: `rules of ${group.slice(end + 1).slice(0, 100)}${shown} cannot be evaluated`,
            steps: 'broken-rule',
            ...(file !== undefined && { part: file }),
          };
        },
      ),
      reason: { of: 'rules', keysOf: ({ rule_group: group = '' }) => [group] },
    },
    {
      name: 'silent_watchdog',
      // Rules are of the server, and their alerts have no labels of a node. Of several such alerts,
      // one is enough.
      expression: `max(present_over_time(${WATCHDOG}[1d])) unless on () ${WATCHDOG}`,
      ofService: false,
      judge: () => ({
        severity: 'warning',
        symptom: 'erroring',
        kind: 'infrastructure',
        steps: 'broken-rule',
        title: 'its alert Watchdog, which always fires, does not fire',
        detail:
          'It did within the last day: rules are not evaluated any more, or its rule was removed.',
      }),
    },
    never(
      'dropped_notifications',
      'sum(increase(prometheus_notifications_dropped_total{$S}[15m]))',
      () => ({
        title: 'alerts were dropped: no Alertmanager took them',
        steps: 'dropped-alerts',
      }),
    ),
    never(
      'rejected_configuration',
      'prometheus_config_last_reload_successful{$S} == bool 0',
      () => ({
        title: 'its configuration was refused: it runs with an older one',
        steps: 'refused-configuration',
      }),
    ),
    never(
      'lost_samples',
      'sum(increase(prometheus_target_scrapes_sample_out_of_order_total{$S}[15m])) + sum(increase(prometheus_target_scrapes_exceeded_sample_limit_total{$S}[15m]))',
      () => ({ title: 'samples of targets were refused' }),
    ),
  ],
};
