import { z } from 'zod';
import {
  boundedTexts,
  fingerprintOf,
  MOST_ALERTS,
  oneLine,
  type Alert,
  type AlertDelivery,
} from '../alert.js';

const texts = z.record(z.string(), z.unknown()).nullish();

const alert = z.object({
  status: z.string(),
  labels: texts,
  annotations: texts,
  startsAt: z.string().optional(),
  endsAt: z.string().optional(),
  generatorURL: z.string().optional(),
  dashboardURL: z.string().optional(),
  fingerprint: z.string().optional(),
});

/**
 * The body of a webhook of Alertmanager (version 4) and of Grafana, which adds fields to it.
 * https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
 */
export const alertmanagerBody = z.object({
  alerts: z.array(alert),
  groupKey: z.string().optional(),
  truncatedAlerts: z.number().int().nonnegative().nullish(),
});

export function readAlertmanager(
  source: 'alertmanager' | 'grafana',
  { alerts, truncatedAlerts }: z.infer<typeof alertmanagerBody>,
): AlertDelivery {
  return {
    source,
    alerts: alerts.slice(0, MOST_ALERTS).map(readAlert),
    leftOff: (truncatedAlerts ?? 0) + Math.max(0, alerts.length - MOST_ALERTS),
  };
}

function readAlert(given: z.infer<typeof alert>): Alert {
  const labels = boundedTexts(given.labels);
  const { generatorURL, dashboardURL, endsAt } = given;
  const status = given.status === 'resolved' ? 'resolved' : 'firing';
  return {
    fingerprint: oneLine(given.fingerprint ?? '', 100) || fingerprintOf(labels),
    status,
    name: labels['alertname'] ?? 'alert without a name',
    labels,
    annotations: boundedTexts({
      ...given.annotations,
      ...(generatorURL && { generatorURL }),
      ...(dashboardURL && { dashboardURL }),
    }),
    startsAt: oneLine(given.startsAt ?? '', 50),
    // The end of an alert that fires: a time in the future, or none.
    ...(status === 'resolved' && endsAt && { endsAt: oneLine(endsAt, 50) }),
  };
}
