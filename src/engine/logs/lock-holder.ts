import type { Observations, Anomalies } from '../observations.js';
import { quoteLine } from './said-in-line.js';

/** What PostgreSQL logs of a wait for a lock (log_lock_waits). */
const HOLDER = /\bProcess(?:es)? holding the lock: (\d{1,10})/;
/** Of a recorded list of sessions, in a sentence. */
const MOST_QUOTED = 120;

/**
 * The session that others wait for, as the database logs it, with what a recorded list of sessions
 * says that it does.
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
