import type { Redis } from 'ioredis';
import { APPEND } from './append.js';
import { CLAIM } from './claim.js';
import { CREATE } from './create.js';
import { EVENTS } from './events.js';
import { LOST } from './lost.js';
import { MOVED } from './moved.js';
import { NOTE } from './note.js';
import { PRELUDE } from './prelude.js';
import { REPORTS } from './reports.js';
import { RESERVE } from './reserve.js';
import { RESULTS } from './results.js';
import { SEAL } from './seal.js';
import { SHORTEN } from './shorten.js';
import { STARTED } from './started.js';
import { TRIM } from './trim.js';

type Call<Answer> = (...args: (string | number)[]) => Promise<Answer>;

/**
 * The scripts as commands of a connection: keys first, then arguments. Each script documents its
 * own.
 */
export interface LogScripts {
  consiliumCreate: Call<string[]>;
  consiliumClaim: Call<[string, ...unknown[]]>;
  consiliumAppend: Call<string[]>;
  consiliumReserve: Call<string[]>;
  consiliumSeal: Call<string[]>;
  consiliumNote: Call<string[]>;
  /** The number of keys depends on the run and is the first argument. */
  consiliumTrim: Call<string[]>;
  consiliumShorten: Call<number>;
  consiliumLost: Call<string[]>;
  consiliumMoved: Call<number>;
  consiliumStarted: Call<number>;
  consiliumEvents: Call<string[]>;
  consiliumReports: Call<[string[], string[]]>;
  consiliumResults: Call<[string[], string[]]>;
}

type Publish = 'PUBLISH' | 'SPUBLISH';

/**
 * The Lua source of each script and its number of keys.
 * @param publish `SPUBLISH` in a cluster: the message stays in the shard of its run
 * @internal Exported for tests.
 */
export function logScripts(
  publish: Publish,
): Record<keyof LogScripts, { lua: string; numberOfKeys?: number }> {
  const prelude = PRELUDE.replaceAll('@PUBLISH', publish);
  return {
    consiliumCreate: { lua: prelude + CREATE, numberOfKeys: 5 },
    consiliumClaim: { lua: prelude + CLAIM, numberOfKeys: 5 },
    consiliumAppend: { lua: prelude + APPEND, numberOfKeys: 9 },
    consiliumReserve: { lua: prelude + RESERVE, numberOfKeys: 5 },
    consiliumSeal: { lua: prelude + SEAL, numberOfKeys: 5 },
    consiliumNote: { lua: prelude + NOTE, numberOfKeys: 5 },
    consiliumTrim: { lua: prelude + TRIM },
    consiliumShorten: { lua: prelude + SHORTEN, numberOfKeys: 1 },
    consiliumLost: { lua: LOST, numberOfKeys: 1 },
    consiliumMoved: { lua: MOVED, numberOfKeys: 1 },
    consiliumStarted: { lua: prelude + STARTED, numberOfKeys: 1 },
    consiliumEvents: { lua: EVENTS, numberOfKeys: 1 },
    consiliumReports: { lua: REPORTS, numberOfKeys: 3 },
    consiliumResults: { lua: RESULTS, numberOfKeys: 2 },
  };
}

/** Defines the scripts of the log as commands of a connection. */
export function defineLogScripts(redis: Redis, publish: Publish): LogScripts {
  for (const [name, script] of Object.entries(logScripts(publish)))
    redis.defineCommand(name, script);
  return redis as unknown as LogScripts;
}
