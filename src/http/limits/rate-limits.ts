import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../../config/config.js';
import { ConsiliumError } from '../../domain/errors.js';
import type { Limiter, MakeLimiter } from './limiter.js';

const SECONDS = 60;

/** What a caller may do so often in a minute. */
const RATES = {
  requests: 'requestsPerMinute',
  triggers: 'triggersPerMinute',
  chats: 'chatsPerMinute',
  alerts: 'alertsPerMinute',
} as const satisfies Record<string, keyof Config>;
export type Rate = keyof typeof RATES;

type Settings = Pick<Config, (typeof RATES)[Rate]>;

/** Rates of callers over all processes. Contract section 10. */
export class RateLimits {
  private readonly limiters = new Map<Rate, { limiter: Limiter; points: number }>();

  constructor(make: MakeLimiter, settings: Settings) {
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
    try {
      await limiter.consume(caller);
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
