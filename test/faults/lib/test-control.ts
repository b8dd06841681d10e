import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** What a scripted tool or model did. */
export interface Observation {
  event:
    | 'model-began'
    | 'model-aborted'
    | 'model-refused'
    | 'tool-began'
    | 'tool-ended'
    | 'tool-aborted';
  /** The process that did it. */
  pid: number;
  /** Of a tool: the node's; of a model: the run's. */
  mark: string;
  /**
   * Of a model: `worker:api`, `team_supervisor:team`, `global_supervisor:`. Of a tool: its name.
   */
  who: string;
  /** Of a model: which turn of its agent. Of a tool: which execution under this mark. */
  nth: number;
  /** Of a model that began: the notes of the system in its prompt. */
  notes?: string[];
  /** ms */
  at: number;
}

/**
 * Channel between a test and the processes under test, on a separate Redis that no fault touches.
 */
export class TestControl {
  private readonly redis: Redis;
  private readonly observationsKey: string;

  constructor(
    readonly url: string,
    readonly prefix: string,
  ) {
    this.redis = new Redis(url, { maxRetriesPerRequest: null });
    this.observationsKey = `${prefix}:control:observations`;
  }

  async record(observation: Omit<Observation, 'pid' | 'at'>): Promise<void> {
    await this.redis.rpush(
      this.observationsKey,
      JSON.stringify({ ...observation, pid: process.pid, at: Date.now() }),
    );
  }

  async observations(wanted: Partial<Observation> = {}): Promise<Observation[]> {
    const all = (await this.redis.lrange(this.observationsKey, 0, -1)).map(
      (line) => JSON.parse(line) as Observation,
    );
    return all.filter((observation) =>
      Object.entries(wanted).every(
        ([key, value]) => observation[key as keyof Observation] === value,
      ),
    );
  }

  /** How often this was asked for this name, this time included. */
  count(name: string): Promise<number> {
    return this.redis.incr(`${this.prefix}:control:count:${name}`);
  }

  /** Opens a gate for those that wait at it, now and later. */
  async open(gate: string): Promise<void> {
    await this.redis.set(`${this.prefix}:control:gate:${gate}`, 'open');
  }

  /** Waits until the gate is open. @throws the signal's reason once that fires */
  async pass(gate: string, signal: AbortSignal | undefined): Promise<void> {
    while ((await this.redis.exists(`${this.prefix}:control:gate:${gate}`)) === 0)
      await sleep(10, undefined, signal ? { signal } : {});
  }

  /** Removes everything that was recorded. */
  async close(): Promise<void> {
    for await (const keys of this.redis.scanStream({
      match: `${this.prefix}:control*`,
      count: 1_000,
    }) as AsyncIterable<string[]>)
      if (keys.length > 0) await this.redis.unlink(...keys);
    this.redis.disconnect();
  }
}
