import { z } from 'zod';
import { textsObject } from '../../lib/first-fault.js';
import { askSource } from '../http/source-client.js';
import { withConnection } from '../http/source-connection.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';

/** Maximum alerts that are read, and silences that are requested. */
const MOST_ALERTS = 500;
const MOST_SILENCES = 5;
const ids = z.array(z.string().max(200)).max(100).default([]);

const alertSchema = z.object({
  labels: textsObject,
  annotations: textsObject.default({}),
  startsAt: z.string().max(50),
  status: z.object({
    state: z.enum(['active', 'suppressed', 'unprocessed']),
    silencedBy: ids,
    inhibitedBy: ids,
  }),
});
const silenceSchema = z.object({
  id: z.string(),
  createdBy: z.string(),
  comment: z.string(),
  endsAt: z.string().max(50),
});

export type AlertmanagerAlert = z.infer<typeof alertSchema>;
export type Silence = z.infer<typeof silenceSchema>;

/** The alerts and silences of a node at an Alertmanager. */
export interface AlertReading {
  alerts: AlertmanagerAlert[];
  /** There are more than were read. */
  leftOff: number;
  /** By id: those of the first silenced alerts. */
  silences: ReadonlyMap<string, Silence>;
  requests: number;
}

/** A matcher, as `source-faults.ts` accepts them. */
const MATCHER = /[a-zA-Z_]\w*\s*(?:=~|!~|!=|=)\s*"(?:[^"\\\n]|\\.)*"/g;

/**
 * Alerts that match, also those that are silenced or held back by others, and by whose silence.
 * @param selector matchers of labels: `service="api",env="prod"`
 * @throws SourceError; the signal's reason
 */
export const readAlerts = (
  server: SourceServer,
  selector: string,
  signal: AbortSignal,
): Promise<AlertReading> =>
  withConnection(server, async (connected) => {
    const query = new URLSearchParams(
      [...selector.matchAll(MATCHER)].map(([matcher]): [string, string] => ['filter', matcher]),
    );
    const path = `/api/v2/alerts?${query.toString()}`;
    const answer = parse(z.array(z.unknown()), await askSource(connected, { path }, signal));
    const alerts = answer.slice(0, MOST_ALERTS).map((each) => parse(alertSchema, each));
    const wanted = new Set(alerts.flatMap(({ status }) => status.silencedBy));
    const silences = new Map<string, Silence>();
    for (const id of [...wanted].slice(0, MOST_SILENCES)) {
      const one = { path: `/api/v2/silence/${encodeURIComponent(id)}` };
      silences.set(id, parse(silenceSchema, await askSource(connected, one, signal)));
    }
    const leftOff = Math.max(0, answer.length - MOST_ALERTS);
    return { alerts, leftOff, silences, requests: 1 + silences.size };
  });

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new SourceError('failed', 'the answer is not one of the API of Alertmanager');
}
