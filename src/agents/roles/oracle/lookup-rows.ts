import type { ResultSource, RunEvent } from '../../../domain/events/event.js';
import { READ } from '../../../domain/events/source-scores.js';
import { namesIn, namesLike } from '../../../domain/topology/names-in-text.js';
import type { Topology } from '../../../domain/topology/topology.js';
import type { RunState } from '../../../event-log/log-port.js';
import { iso } from '../../../lib/iso.js';
import type { JsonObject } from '../../../lib/json.js';
import { clip } from '../../../lib/text.js';

const SNIPPET = 300;

/** Identifies a run, or one of its events: `runs/RUN_ID`, `runs/RUN_ID/events/SEQUENCE`. */
export const source = (
  type: 'run' | 'event' | 'topology',
  path: string,
  text: string,
  score = READ,
): ResultSource => ({
  path,
  source_type: type,
  snippet: clip(text, SNIPPET),
  score,
});

export const eventSource = ({ run_id, sequence }: RunEvent, text: string) =>
  source('event', `runs/${run_id}/events/${sequence}`, text);

export const row = (
  runId: string,
  { status, head, createdAt, endedAt, lastSequence }: RunState,
): JsonObject => ({
  run_id: runId,
  status,
  topology_id: head.topologyId,
  topology_name: head.topologyName,
  user_message: clip(head.userMessage, SNIPPET),
  created_at: iso(createdAt),
  ended_at: iso(endedAt),
  last_sequence: lastSequence,
});

export const namedBy = (
  topology: Topology,
  naming: string | undefined,
  similar: string | undefined,
): string[] => [
  ...(naming === undefined ? [] : namesIn(naming.toLowerCase(), topology)),
  ...(similar === undefined ? [] : namesLike(similar.toLowerCase(), topology)),
];

export const verdictOf = ({ data }: RunEvent): string | null =>
  (data as { report?: { verdict: string } | null }).report?.verdict ?? null;

export function summaryOf({ data }: RunEvent): string {
  const { summary, error, reason } = data as { summary?: string; error?: string; reason?: string };
  return summary ?? error ?? reason ?? '';
}
