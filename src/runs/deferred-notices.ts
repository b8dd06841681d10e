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
import { DAY_SECONDS } from '../lib/day.js';
import { callerKeys } from '../redis/keys.js';
import { REDIS } from '../redis/redis-token.js';

/** KEYS: subject. ARGV: what it was, what it becomes, seconds to live. @returns 1, or 0 where it has become another */
const REPLACE = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1`;

/**
 * Notices for a later conversation of the same caller about the same topology, for as long as conversations are kept. A
 * conversation begins with them, and removes them when its model has answered: one whose model never did leaves them to the next.
 * docs/decisions/0019-notices-for-later-sessions.md
 */
@Injectable()
export class DeferredNotices {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Harmless when repeated. */
  async add(owner: string, topologyId: number, notices: readonly Notice[]): Promise<void> {
    await this.change(owner, topologyId, (state) => addNotices(state, notices, this.oldest()));
  }

  /** The notices that a conversation is to begin with. They wait on until they are removed. */
  async waiting(owner: string, topologyId: number, session: string): Promise<CarriedOver[]> {
    const text = await this.redis.get(this.key(owner, topologyId));
    const carried = noticesFor(parse(text ?? ''), session, this.oldest());
    return carried.notices.length > 0 || carried.leftOut ? [carried] : [];
  }

  /** Harmless when repeated. */
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
    return Date.now() - this.seconds * 1_000;
  }

  private key(owner: string, topologyId: number): string {
    return callerKeys(this.config.redisPrefix, owner).deferredNotices(topologyId);
  }
}

/** An earlier version of the service kept more beside these fields. */
function parse(text: string): WaitingNotices {
  if (text === '') return noNotices();
  const { waiting, leftOut } = JSON.parse(text) as WaitingNotices;
  return { waiting, leftOut };
}
