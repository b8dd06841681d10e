import type { Observations, Anomalies } from '../observations.js';
import { quoteLine } from './said-in-line.js';

/** The log text of PostgreSQL about a wait for a lock (log_lock_waits). */
const HOLDER = /\bProcess(?:es)? holding the lock: (\d{1,10})/;
/** A sentence from a recorded list of sessions. */
const MOST_QUOTED = 120;

/**
 * The session that others wait for, from the log of the database, with its activity from a recorded
 * list of sessions.
 */
export function lockHolder(
  { recordings }: Pick<Observations, 'recordings'>,
  { appeared }: Pick<Anomalies, 'appeared'>,
): string | undefined {
  for (const { node, sample } of appeared) {
    const session = HOLDER.exec(sample.body)?.[1];
    if (session === undefined) continue;
    const row = recordings
      .flatMap(({ output }) => output.split('\n'))
      .find(
        (line) => line.includes('|') && line.split('|').some((cell) => cell.trim() === session),
      );
    const does = row === undefined ? '' : `: ${quoteLine(row, MOST_QUOTED)}`;
    return `session ${session}${node === undefined ? '' : ` of ${node}`} holds the lock${does}`;
  }
  return undefined;
}
