import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { Clock } from '../../lib/clock.js';
import { ticketKey } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { ApiKeys } from './api-keys.js';
import { digestOf, isToken, makeToken } from './opaque-token.js';
import { principalSchema, type Principal } from './principal.js';
import { Sessions } from './sessions.js';

/** How long after its creation a ticket can open its stream. */
export const OPENS_WITHIN_SECONDS = 60;
/** How long the opened stream may reconnect with it. */
const RECONNECTS_SECONDS = 600;

const EVENTS = /^\/api\/service\/v1\/executions\/([^/]+)\/events$/;

const recordSchema = z.object({
  runId: z.string(),
  principal: principalSchema,
  opened: z.boolean(),
});

/** The ticket in the query of a request for a stream; undefined if there is none. */
export function ticketOf({ query, path, method }: Request): string | undefined {
  const { ticket } = query;
  return method === 'GET' && typeof ticket === 'string' && EVENTS.test(path) ? ticket : undefined;
}

/** Credentials for one stream each, which may be part of a URL. Contract section 10. */
@Injectable()
export class StreamTickets {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisPrefix'>,
    private readonly keys: ApiKeys,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {}

  async issue(runId: string, principal: Principal): Promise<string> {
    const { token, name } = makeToken();
    const record = JSON.stringify({ runId, principal, opened: false });
    await this.redis.set(this.keyOf(name), record, 'EX', OPENS_WITHIN_SECONDS);
    return token;
  }

  /**
   * The principal of a ticket that is valid for the stream at this path; its first use opens it.
   */
  async principalOf(ticket: string, path: string): Promise<Principal | undefined> {
    if (!isToken(ticket)) return undefined;
    const key = this.keyOf(digestOf(ticket));
    const text = await this.redis.get(key);
    if (text === null) return undefined;
    const record = recordSchema.parse(JSON.parse(text));
    const { runId, principal, opened } = record;
    if (EVENTS.exec(path)?.[1] !== runId) return undefined;
    if (!(await this.isLive(principal))) return undefined;
    if (!opened)
      await this.redis.set(
        key,
        JSON.stringify({ ...record, opened: true }),
        'EX',
        RECONNECTS_SECONDS,
      );
    return principal;
  }

  /** Whether the credential with which the ticket was created is still valid. */
  private async isLive({ expiresAt = Infinity, keyId, session }: Principal): Promise<boolean> {
    const [key, open] = await Promise.all([
      keyId === undefined || this.keys.isLive(keyId),
      session === undefined || this.sessions.isOpen(session),
    ]);
    return key && open && expiresAt > this.clock.now();
  }

  private keyOf(name: string): string {
    return ticketKey(this.config.redisPrefix, name);
  }
}
