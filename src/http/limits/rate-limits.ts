import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import type { Limiter, MakeLimiter } from './limiter.js';

const SECONDS = 60;
/** A process takes a hundredth of a quota at once, and spends it without asking again. */
const SHARES = 100;
const MOST_SHARES = 10_000;

/** Actions of a caller that are limited per minute. */
const RATES = {
  requests: 'requestsPerMinute',
  triggers: 'triggersPerMinute',
  chats: 'chatsPerMinute',
  alerts: 'alertsPerMinute',
  /** Invalid signatures of an address that the audit log records. */
  signatures: 'failedLoginsPerMinute',
} as const satisfies Record<string, keyof Config>;
export type Rate = keyof typeof RATES;

type Settings = Pick<Config, (typeof RATES)[Rate]>;

/**
 * Points of a caller that this process has taken and not spent; they end with the window that they
 * were taken from.
 */
interface Share {
  left: number;
  /** ms */
  until: number;
}

/**
 * Rates of callers over all processes. Contract section 10. No caller gets more than its quota. Of
 * one above 200, a process takes a hundredth at once: with several processes a caller may be
 * refused that much earlier for each of them.
 */
export class RateLimits {
  private readonly limiters = new Map<Rate, { limiter: Limiter; points: number }>();
  private readonly shares = new LRUCache<string, Share>({ max: MOST_SHARES });

  /** @param now ms of a clock that does not jump */
  constructor(
    make: MakeLimiter,
    settings: Settings,
    private readonly now: () => number = () => performance.now(),
  ) {
    for (const [name, setting] of Object.entries(RATES) as [Rate, keyof Settings][]) {
      const points = settings[setting];
      if (points > 0)
        this.limiters.set(name, { limiter: make({ name, points, seconds: SECONDS }), points });
    }
  }

  /** Counts one. @throws ConsiliumError RATE_LIMITED */
  async take(rate: Rate, caller: string): Promise<void> {
    const { limiter, points } = this.limiters.get(rate) ?? {};
    if (!limiter || points === undefined) return;
    const name = `${rate} ${caller}`;
    const share = this.shares.get(name);
    if (share && share.left > 0 && this.now() < share.until) return void share.left--;
    const size = Math.max(1, Math.floor(points / SHARES));
    try {
      const { msBeforeNext } = await limiter.consume(caller, size);
      if (size > 1) this.shares.set(name, { left: size - 1, until: this.now() + msBeforeNext });
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      throw overRate(rate, points, error.msBeforeNext);
    }
  }
}

/** The header fields are those of draft-ietf-httpapi-ratelimit-headers-10. */
function overRate(rate: Rate, points: number, ms: number): ConsiliumError {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  return new ConsiliumError(
    'RATE_LIMITED',
    `You may send ${points} ${rate} in a minute; try again in ${seconds} s`,
    {
      retryAfterSeconds: seconds,
      headers: {
        RateLimit: `"${rate}";r=0;t=${seconds}`,
        'RateLimit-Policy': `"${rate}";q=${points};w=${SECONDS}`,
      },
      details: { limit: points, rate },
      limit: rate,
    },
  );
}
