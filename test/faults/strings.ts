import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** Something that a puppet did, in the order in which they did it. */
export interface Deed {
  deed: 'model-began' | 'model-aborted' | 'tool-began' | 'tool-ended' | 'tool-aborted';
  /** The process that did it. */
  pid: number;
  /** Of a tool: the node's; of a model: the run's. */
  token: string;
  /** Of a model: `worker:api`, `team_supervisor:team`, `global_supervisor:`. Of a tool: its name. */
  who: string;
  /** Of a model: which turn of its agent. Of a tool: which execution under this token. */
  nth: number;
  /** Of a model that began: the notes of the system in its prompt. */
  notes?: string[];
  /** ms */
  at: number;
}

/** What a test and the processes under test tell each other: on a Redis of their own, which no fault touches. */
export class Strings {
  private readonly redis: Redis;
  private readonly deedsKey: string;

  constructor(
    readonly url: string,
    readonly prefix: string,
  ) {
    this.redis = new Redis(url, { maxRetriesPerRequest: null });
    this.deedsKey = `${prefix}:strings:deeds`;
  }

  async tell(deed: Omit<Deed, 'pid' | 'at'>): Promise<void> {
    await this.redis.rpush(
      this.deedsKey,
      JSON.stringify({ ...deed, pid: process.pid, at: Date.now() }),
    );
  }

  async deeds(wanted: Partial<Deed> = {}): Promise<Deed[]> {
    const all = (await this.redis.lrange(this.deedsKey, 0, -1)).map(
      (line) => JSON.parse(line) as Deed,
    );
    return all.filter((deed) =>
      Object.entries(wanted).every(([key, value]) => deed[key as keyof Deed] === value),
    );
  }

  /** How often this was asked for this name, this time included. */
  count(name: string): Promise<number> {
    return this.redis.incr(`${this.prefix}:strings:count:${name}`);
  }

  /** Lets pass whoever waits at this gate, now and later. */
  async open(gate: string): Promise<void> {
    await this.redis.set(`${this.prefix}:strings:gate:${gate}`, 'open');
  }

  /** Waits until the gate is open. @throws the signal's reason once that fires */
  async pass(gate: string, signal: AbortSignal | undefined): Promise<void> {
    while ((await this.redis.exists(`${this.prefix}:strings:gate:${gate}`)) === 0)
      await sleep(10, undefined, signal ? { signal } : {});
  }

  /** Forgets everything. */
  async close(): Promise<void> {
    for await (const keys of this.redis.scanStream({
      match: `${this.prefix}:strings*`,
      count: 1_000,
    }) as AsyncIterable<string[]>)
      if (keys.length > 0) await this.redis.unlink(...keys);
    this.redis.disconnect();
  }
}
