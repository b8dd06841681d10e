import { Inject, Injectable, OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { filter, Subject, type Observable } from 'rxjs';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import { connect } from '../redis/connect.js';
import { REDIS } from '../redis/redis-token.js';
import { sealedChannel } from '../redis/keys.js';

/**
 * Announces to every process that a run was sealed, so that it stops work on the run. This is only
 * a hint for speed: if a message is lost, the sealed log refuses the next write.
 */
@Injectable()
export class Cancellations implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly sealed = new Subject<string>();
  private readonly channel: string;
  private subscriber: Redis | undefined;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.channel = sealedChannel(config.redisPrefix);
  }

  /** Subscribes before jobs are taken. A message that is lost delays a cancel, and nothing else. */
  onApplicationBootstrap(): void {
    if (this.config.role === 'api') return;
    this.subscriber = connect(this.config.redisUrl);
    this.subscriber.on('message', (_channel: string, id: string) => this.sealed.next(id));
    this.subscriber.subscribe(this.channel).catch(() => undefined);
  }

  async announce(runId: string): Promise<void> {
    await this.redis.publish(this.channel, runId);
  }

  /** Emits when the run was sealed, on any process. */
  of(runId: string): Observable<string> {
    return this.sealed.pipe(filter((id) => id === runId));
  }

  onApplicationShutdown(): void {
    this.sealed.complete();
    this.subscriber?.disconnect();
  }
}
