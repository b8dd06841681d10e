import { createHash } from 'node:crypto';
import { z } from 'zod';
import { clip } from '../lib/text.js';

/** The senders of alerts; each has its own form of a body. */
export const ALERT_SOURCES = ['alertmanager', 'grafana', 'pagerduty', 'generic'] as const;
export type AlertSource = (typeof ALERT_SOURCES)[number];

export const alertSchema = z.object({
  /** The same for the same alert, however often it fires. */
  fingerprint: z.string(),
  status: z.enum(['firing', 'resolved']),
  name: z.string(),
  labels: z.record(z.string(), z.string()),
  /** The sender's description: summary, description, address of a dashboard. */
  annotations: z.record(z.string(), z.string()),
  /** ISO 8601, as the sender wrote it. */
  startsAt: z.string(),
  /** ISO 8601, as the sender wrote it; only if it has resolved. */
  endsAt: z.string().optional(),
});

/**
 * One alert in the form that all senders share. Its texts are foreign: bounded, without control
 * characters.
 */
export type Alert = z.infer<typeof alertSchema>;

/** The alerts of one request. */
export interface AlertDelivery {
  source: AlertSource;
  alerts: Alert[];
  /** Number of alerts beyond {@link MOST_ALERTS}, and of those that the sender left out. */
  leftOff: number;
  /** Why there is no alert. */
  reason?: string;
}

/** Maximum alerts of one delivery that are read, and that a run keeps. */
export const MOST_ALERTS = 1_000;
const MOST_LABELS = 64;
const NAME_CHARACTERS = 200;
const VALUE_CHARACTERS = 1_000;

/** Control, format and private characters, which could hide a text or forge a line. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]+/gu;

/** A foreign text on one line, of a bounded length. */
export const oneLine = (text: string, most = VALUE_CHARACTERS): string =>
  clip(
    text
      .slice(0, 4 * most)
      .replaceAll(UNSEEN, ' ')
      .trim(),
    most,
  );

/** At most 64 entries, each bounded; values that are no texts are written as JSON. */
export function boundedTexts(given: Record<string, unknown> | null | undefined) {
  const entries = Object.entries(given ?? {}).slice(0, MOST_LABELS);
  return Object.fromEntries(
    entries.map(([key, value]) => [
      oneLine(key, NAME_CHARACTERS),
      oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')),
    ]),
  );
}

/** A name for an alert that its sender has not named. */
export const fingerprintOf = (labels: Record<string, string>): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
    .slice(0, 16);
