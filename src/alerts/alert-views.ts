import { z } from 'zod';
import { alertSchema } from './alert.js';

/** The answer to a delivery. */
export const deliveryAnswer = z.object({
  received: z.int().describe('Alerts that were looked at'),
  ignored: z.int().describe('Alerts that no run concerns'),
  reasons: z
    .array(z.string())
    .optional()
    .describe('Why alerts were ignored, or an event has none; absent where neither is so'),
  runs: z.array(
    z.object({
      topologyId: z.int(),
      runId: z.string(),
      outcome: z.enum(['started', 'joined', 'linked', 'resolved']),
    }),
  ),
});
export type DeliveryAnswer = z.infer<typeof deliveryAnswer>;

/** The alerts of a run. */
export const runAlerts = z.object({ items: z.array(alertSchema) });
