import { Queue, Worker, type Job, type Processor } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../config/config.js';
import { atMost } from '../lib/async.js';
import type { Clock } from '../lib/clock.js';
import { workerConnection } from './connect.js';
import { queuePrefix, retriesKey } from './keys.js';
import { startRetryDelays, type RetryDelays } from './retry-delays.js';

const SILENT_MS = 12_000;
/** Maximum time of closing: without Redis, BullMQ would wait for it. */
const CLOSE_MS = 2_000;
/** Maximum time of disconnecting. */
const LEAVE_MS = 500;

interface Consuming<Data> {
  work: Processor<Data, void>;
  /** The pause before the next attempt of a job that failed. */
  pauseMs: (attemptsMade: number, error: Error | undefined) => number;
  /** Number of jobs that run at once. */
  concurrency: number;
}

/** A queue on BullMQ, apart from those of agents, whose retries wait by the clock of Redis. */
export class RetriedQueue<Data> {
  private opened: Queue | undefined;
  private worker: Worker<Data, void> | undefined;
  private delays: RetryDelays | undefined;
  private readonly releases: (() => void)[] = [];

  constructor(
    private readonly name: string,
    private readonly config: Config,
    private readonly redis: Redis,
    private readonly clock: Clock,
  ) {}

  /** Opened when it is needed: a service that does not use it has no connection for it. */
  get queue(): Queue {
    if (!this.opened) {
      this.opened = new Queue(this.name, this.connection());
      this.opened.on('error', () => undefined);
    }
    return this.opened;
  }

  job(id: string): Promise<Job<Data> | undefined> {
    return this.queue.getJob(id);
  }

  /** Works on jobs from now on, until `close`. */
  consume({ work, pauseMs, concurrency }: Consuming<Data>): void {
    const { redis, clock, config } = this;
    const key = retriesKey(config.redisPrefix, this.name);
    const delays = startRetryDelays({ redis, clock, key }, (id) => this.job(id));
    this.delays = delays;
    this.worker = new Worker<Data, void>(this.name, work, {
      ...this.connection(),
      concurrency,
      lockDuration: config.lockMs,
      stalledInterval: config.stallMs,
      // A process that is killed counts against each job that it was working on.
      maxStalledCount: 100,
      settings: {
        backoffStrategy: (attemptsMade, _type, error, job) =>
          delays.note(job?.id ?? '', pauseMs(attemptsMade, error)),
      },
    });
    this.worker.on('error', () => undefined);
  }

  /**
   * Jobs that cannot be returned, because Redis cannot be reached, count as lost when their locks
   * expire.
   */
  async close(): Promise<void> {
    const late = await atMost(CLOSE_MS, this.closeAll(), 'late');
    if (late) {
      const disconnected = Promise.allSettled(
        [this.worker, this.opened].map((each) => each?.disconnect() ?? Promise.resolve()),
      );
      await atMost(LEAVE_MS, disconnected, undefined);
    }
    this.releases.forEach((release) => release());
  }

  private async closeAll(): Promise<void> {
    await this.worker?.close();
    await this.delays?.stop();
    await this.opened?.close();
  }

  private connection() {
    const { redisUrl, redisPrefix } = this.config;
    const { connection, release } = workerConnection(redisUrl, SILENT_MS);
    this.releases.push(release);
    return { connection, prefix: queuePrefix(redisPrefix) };
  }
}
