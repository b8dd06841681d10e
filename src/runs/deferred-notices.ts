import { Inject, Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.js';
import {
  addNotices,
  noNotices,
  noticesFor,
  removeNotices,
  type CarriedOver,
  type Notice,
  type WaitingNotices,
} from '../domain/notifications/deferred-notice.js';
import { Clock } from '../lib/clock.js';
import { DAY_SECONDS } from '../lib/day.js';
import { callerKeys } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';

/**
 * Replaces a value if it did not change. KEYS: notices. ARGV: old value, new value, seconds to
 * live.
 * @returns 1, or 0 if it has changed
 */
const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1`;

/**
 * Notices for the next conversation of a caller about a topology, kept as long as conversations. A
 * conversation starts with them and removes them when its model has answered; if it never does, the
 * next conversation starts with them. See docs/decisions/0019-notices-for-later-sessions.md.
 */
@Injectable()
export class DeferredNotices {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /** Adds notices. Idempotent. */
  async add(owner: string, topologyId: number, notices: readonly Notice[]): Promise<void> {
    await this.change(owner, topologyId, (state) => addNotices(state, notices, this.oldest()));
  }

  /** Returns the notices for a new conversation. They stay until they are removed. */
  async waiting(owner: string, topologyId: number, session: string): Promise<CarriedOver[]> {
    const text = await this.redis.get(this.key(owner, topologyId));
    const carried = noticesFor(parse(text ?? ''), session, this.oldest());
    return carried.notices.length > 0 || carried.leftOut ? [carried] : [];
  }

  /** Removes notices. Idempotent. */
  async remove(
    owner: string,
    topologyId: number,
    delivered: readonly CarriedOver[],
  ): Promise<void> {
    for (const carried of delivered)
      await this.change(owner, topologyId, (state) => removeNotices(state, carried));
  }

  private async change(
    owner: string,
    topologyId: number,
    to: (state: WaitingNotices) => WaitingNotices,
  ): Promise<void> {
    const key = this.key(owner, topologyId);
    for (;;) {
      const text = (await this.redis.get(key)) ?? '';
      const next = JSON.stringify(to(parse(text)));
      if ((await this.redis.eval(REPLACE, 1, key, text, next, this.seconds)) === 1) return;
    }
  }

  private get seconds(): number {
    return this.config.conversationDays * DAY_SECONDS;
  }

  /** ms since the epoch. */
  private oldest(): number {
    return this.clock.now() - this.seconds * 1_000;
  }

  private key(owner: string, topologyId: number): string {
    return callerKeys(this.config.redisPrefix, owner).deferredNotices(topologyId);
  }
}

/** An earlier version of the service stored more fields. */
function parse(text: string): WaitingNotices {
  if (text === '') return noNotices();
  const { waiting, leftOut } = JSON.parse(text) as WaitingNotices;
  return { waiting, leftOut };
}
