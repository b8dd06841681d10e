import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { ConsiliumError } from '../../domain/errors.js';
import { digestOf } from '../access/opaque-token.js';
import type { Limiter, MakeLimiter } from './limiter.js';

const SECONDS = 60;
const MOST_KNOWN = 10_000;
const KNOWN_MS = 3_600_000;
/** The smallest network of a household or a server. RFC 6177. */
const IPV6_BITS = 64;

/**
 * Limits how many invalid credentials an address may send. Each credential is checked: a neighbour
 * behind the same address or proxy cannot lock out the owner of a valid one. Credentials have 256
 * random bits or a signature, so that no number of guesses finds one; the limit bounds the entries
 * that guesses add to the audit log.
 */
export class FailedLogins {
  private readonly limiter: Limiter | undefined;
  /**
   * Digests of credentials that were valid. One that has been revoked or has expired since is not a
   * guess, and does not count.
   */
  private readonly known = new LRUCache<string, true>({ max: MOST_KNOWN, ttl: KNOWN_MS });

  /** @param most invalid credentials of an address in a minute; 0: no limit */
  constructor(make: MakeLimiter, most: number) {
    if (most > 0) this.limiter = make({ name: 'failed-logins', points: most, seconds: SECONDS });
  }

  /**
   * Runs the check of a credential, and counts it if it fails.
   * @throws ConsiliumError RATE_LIMITED if it fails, and too many of its address have failed before
   */
  async guard<Found>(
    address: string | undefined,
    credential: string,
    check: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    const found = await check();
    if (!this.limiter) return found;
    const name = digestOf(credential);
    if (found) this.known.set(name, true);
    else if (!this.known.has(name)) await this.count(this.limiter, networkOf(address));
    return found;
  }

  private async count(limiter: Limiter, from: string): Promise<void> {
    try {
      await limiter.consume(from);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const seconds = Math.max(1, Math.ceil(error.msBeforeNext / 1_000));
      throw new ConsiliumError(
        'RATE_LIMITED',
        `Too many credentials from this address were not valid; try again in ${seconds} s`,
        { retryAfterSeconds: seconds, limit: 'logins' },
      );
    }
  }
}

/** The address, of IPv6 its network. */
export function networkOf(address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_BITS}`).toString();
}
