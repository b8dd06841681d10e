import { z } from 'zod';
import { boundedTexts, fingerprintOf, MOST_ALERTS, oneLine, type AlertDelivery } from '../alert.js';

const alert = z.object({
  id: z.string().min(1).max(200).optional().describe('The same for the same alert'),
  status: z.enum(['firing', 'resolved']).default('firing'),
  title: z.string().min(1),
  description: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  startsAt: z.string().optional().describe('ISO 8601'),
  endsAt: z.string().optional().describe('ISO 8601, of an alert that has resolved'),
  url: z.string().optional(),
});

/** Alerts of any program. */
export const genericBody = z.object({ alerts: z.array(alert).min(1).max(MOST_ALERTS) });

export const readGeneric = ({ alerts }: z.infer<typeof genericBody>): AlertDelivery => ({
  source: 'generic',
  leftOff: 0,
  alerts: alerts.map(({ id, status, title, description, labels: given, startsAt, endsAt, url }) => {
    const name = oneLine(title);
    const labels = boundedTexts({ alertname: name, ...given });
    return {
      fingerprint: id === undefined ? fingerprintOf(labels) : oneLine(id, 200),
      status,
      name,
      labels,
      annotations: boundedTexts({ ...(description && { description }), ...(url && { url }) }),
      startsAt: oneLine(startsAt ?? '', 50),
      ...(status === 'resolved' && endsAt && { endsAt: oneLine(endsAt, 50) }),
    };
  }),
});
