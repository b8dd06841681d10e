import { Inject, Injectable } from '@nestjs/common';
import type { CookieOptions, Request } from 'express';
import type { Redis } from 'ioredis';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { Clock } from '../../lib/clock.js';
import { sessionKey } from '../../redis/keys.js';
import { REDIS } from '../../redis/redis-token.js';
import { ApiKeys } from './api-keys.js';
import { digestOf, isToken, makeToken } from './opaque-token.js';
import { principalSchema, type Principal } from './principal.js';

const SECONDS = 8 * 3_600;
/**
 * Maximum time of a session of a proxy's user: the service is not informed if the user has lost a
 * role.
 */
const PROXY_SECONDS = 3_600;

/**
 * `__Host-`: browsers accept it only over HTTPS or from localhost, for this host alone. RFC 6265bis
 * section 4.1.3.
 */
export const SESSION_COOKIE = '__Host-consilium';
export const COOKIE_OPTIONS: CookieOptions = {
  httpOnly: true,
  secure: true,
  sameSite: 'strict',
  path: '/',
};

/** The session that a request names; undefined if it names none. */
export function sessionOf({ headers }: Request): string | undefined {
  const [, token] = /(?:^|;\s*)__Host-consilium=([^;]*)/.exec(headers.cookie ?? '') ?? [];
  return token;
}

/** Sessions of browsers, which cannot send headers with an `EventSource`. */
@Injectable()
export class Sessions {
  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(CONFIG) private readonly config: Pick<Config, 'redisPrefix'>,
    private readonly keys: ApiKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * A session that is started with another one ends with it at the latest: it cannot be prolonged
   * without a credential.
   * @returns the token for the cookie, and how long it is valid in ms
   */
  async start(principal: Principal): Promise<{ token: string; maxAge: number }> {
    const now = this.clock.now();
    const { expiresAt, keyId } = principal;
    const left = Math.floor(((expiresAt ?? Infinity) - now) / 1_000);
    const most = expiresAt === undefined && keyId === undefined ? PROXY_SECONDS : SECONDS;
    const seconds = Math.max(1, Math.min(most, left));
    const { token, name } = makeToken();
    const text = JSON.stringify({ ...principal, expiresAt: now + seconds * 1_000, session: name });
    await this.redis.set(sessionKey(this.config.redisPrefix, name), text, 'EX', seconds);
    return { token, maxAge: seconds * 1_000 };
  }

  /** Undefined if the session has ended, or the key that started it was revoked. */
  async principalOf(token: string): Promise<Principal | undefined> {
    if (!isToken(token)) return undefined;
    const text = await this.redis.get(sessionKey(this.config.redisPrefix, digestOf(token)));
    if (text === null) return undefined;
    const principal = principalSchema.parse(JSON.parse(text));
    const { keyId } = principal;
    return keyId === undefined || (await this.keys.isLive(keyId)) ? principal : undefined;
  }

  /** Whether a session has not ended. @param name of {@link Principal.session} */
  async isOpen(name: string): Promise<boolean> {
    return (await this.redis.exists(sessionKey(this.config.redisPrefix, name))) === 1;
  }

  async end(token: string): Promise<void> {
    await this.redis.del(sessionKey(this.config.redisPrefix, digestOf(token)));
  }
}
