import type { Redis } from 'ioredis';
import { isTerminalStatus, type RunStatus } from '../domain/run-status.js';
import { allOf } from '../redis/all-of.js';
import type { LogPage } from './log-types.js';
import type { RunKeys } from './keys.js';

/** `missing`: the log has frames after the cursor, and the first of them was deleted. */
type StreamPage = LogPage & { missing: boolean };

/**
 * Reads the end of a log and then frames, with the frame before them, in one pipeline. A pipeline
 * is not atomic: the frames may go beyond that end. If there are none, the log had none up to that
 * end.
 * @returns undefined for an unknown run
 */
export async function readPage(
  redis: Redis,
  keys: RunKeys,
  after: number,
  limit: number,
): Promise<StreamPage | undefined> {
  const asked = redis
    .pipeline()
    .hmget(keys.state, 'status', 'seq')
    .xrangeBuffer(keys.log, `${after}-0`, '+', 'COUNT', limit + 1);
  const [state, entries] = (await allOf(asked)) as [
    [string | null, string | null],
    [Buffer, Buffer[]][],
  ];
  const [status, seq] = state;
  if (!status || !seq) return undefined;
  const lastSequence = Number(seq);
  const idOf = ([id]: [Buffer, Buffer[]]) => id.toString('latin1');
  const before =
    entries[0] && idOf(entries[0]) === `${after}-0` ? entries.shift()?.[1][1] : undefined;
  return {
    ...(before && { before }),
    frames: entries.slice(0, limit).map(([, fields]) => fields[1] ?? Buffer.alloc(0)),
    lastSequence,
    sealed: isTerminalStatus(status as RunStatus),
    missing: entries[0] ? idOf(entries[0]) !== `${after + 1}-0` : after < lastSequence,
  };
}
