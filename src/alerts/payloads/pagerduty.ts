import { z } from 'zod';
import { DAY_SECONDS } from '../../lib/day.js';
import { boundedTexts, oneLine, type Alert, type AlertDelivery } from '../alert.js';

/**
 * A webhook of PagerDuty, version 3: one event.
 * https://developer.pagerduty.com/docs/webhooks-overview
 */
export const pagerDutyBody = z.object({
  event: z.object({
    id: z.string(),
    event_type: z.string(),
    occurred_at: z.string(),
    data: z.looseObject({
      id: z.string().optional(),
      title: z.string().optional(),
      html_url: z.string().nullish(),
      urgency: z.string().nullish(),
      incident_key: z.string().nullish(),
      created_at: z.string().optional(),
      service: z.object({ id: z.string(), summary: z.string() }).nullish(),
    }),
  }),
});

const STATUS: Partial<Record<string, Alert['status']>> = {
  'incident.triggered': 'firing',
  'incident.reopened': 'firing',
  'incident.escalated': 'firing',
  'incident.unacknowledged': 'firing',
  'incident.resolved': 'resolved',
};

/** Deliveries are remembered for a day; an older event could be one that was handled before. */
const MOST_AGE_MS = DAY_SECONDS * 1_000;

const none = (reason: string): AlertDelivery => ({
  source: 'pagerduty',
  alerts: [],
  leftOff: 0,
  reason,
});

/**
 * Events that are too old, and of other types than those of an incident that begins or ends, have
 * no alert.
 * @param now ms since the epoch
 */
export function readPagerDuty(
  { event }: z.infer<typeof pagerDutyBody>,
  now: number,
): AlertDelivery {
  const status = STATUS[event.event_type];
  const { id, title, html_url, urgency, incident_key, created_at, service } = event.data;
  if (status === undefined || id === undefined)
    return none(`an event ${oneLine(event.event_type, 100)} begins or ends no incident`);
  if (!(now - Date.parse(event.occurred_at) < MOST_AGE_MS))
    return none(
      `the event is not of the last day: occurred_at is ${oneLine(event.occurred_at, 50)}`,
    );
  const name = oneLine(title ?? '') || 'incident without a title';
  const labels = {
    alertname: name,
    ...(service && { service: service.summary, service_id: service.id }),
    ...(urgency && { urgency }),
    ...(incident_key && { incident_key }),
  };
  const alert: Alert = {
    fingerprint: oneLine(id, 100),
    status,
    name,
    labels: boundedTexts(labels),
    annotations: boundedTexts(html_url ? { url: html_url } : {}),
    startsAt: oneLine(created_at ?? event.occurred_at, 50),
    ...(status === 'resolved' && { endsAt: oneLine(event.occurred_at, 50) }),
  };
  return { source: 'pagerduty', alerts: [alert], leftOff: 0 };
}
