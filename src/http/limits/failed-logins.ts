import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { ConsiliumError } from '../../domain/errors.js';
import { digestOf } from '../access/opaque-token.js';
import type { Limiter, MakeLimiter } from './limiter.js';

const SECONDS = 60;
const MOST_KNOWN = 10_000;
const KNOWN_MS = 3_600_000;
/** A household or a server has at least this network. RFC 6177. */
const IPV6_BITS = 64;

/**
 * Limits how often an address may try credentials. A credential that was good here within the last hour is still
 * checked, so that a neighbour behind the same address, or the same proxy, does not lock its owner out. If it has been
 * revoked or has expired since, it is no guess: clients that try it again are not counted.
 */
export class FailedLogins {
  private readonly limiter: Limiter | undefined;
  /** Whether a credential that was good is still so, by its digest. */
  private readonly known = new LRUCache<string, boolean>({ max: MOST_KNOWN, ttl: KNOWN_MS });

  /** @param most invalid credentials of an address in a minute; 0: no limit */
  constructor(
    make: MakeLimiter,
    private readonly most: number,
  ) {
    if (most > 0) this.limiter = make({ name: 'failed-logins', points: most, seconds: SECONDS });
  }

  /**
   * Runs the check of a credential, and counts it if it fails.
   * @throws ConsiliumError RATE_LIMITED without checking it
   */
  async guard<Found>(
    address: string | undefined,
    credential: string,
    check: () => Promise<Found | undefined>,
  ): Promise<Found | undefined> {
    if (!this.limiter) return check();
    const name = digestOf(credential);
    if (this.known.get(name) !== true) await this.refuseBlocked(networkOf(address));
    const found = await check();
    if (found) {
      this.known.set(name, true);
      return found;
    }
    if (this.known.has(name)) {
      this.known.set(name, false, { noUpdateTTL: true });
      return undefined;
    }
    // The count decides about the next attempt: a rejection says that this one was the last.
    await this.limiter.consume(networkOf(address)).catch(() => undefined);
    return undefined;
  }

  private async refuseBlocked(from: string): Promise<void> {
    const counted = await this.limiter?.get(from);
    if (!counted || counted.consumedPoints < this.most) return;
    const seconds = Math.max(1, Math.ceil(counted.msBeforeNext / 1_000));
    throw new ConsiliumError(
      'RATE_LIMITED',
      `Too many credentials from this address were not valid; try again in ${seconds} s`,
      { retryAfterSeconds: seconds, limit: 'logins' },
    );
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
