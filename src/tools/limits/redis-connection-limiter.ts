import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  type Admission,
  CONNECTION_LIMITS,
  ConnectionLimiter,
  type ConnectionLimits,
  countedBy,
  nameOf,
  type ProbeTarget,
  type QuarantinedTarget,
} from './connection-limiter.js';
import { defineProbeScripts } from './limiter-scripts.js';

/** ms after which a place that is not renewed is lost: shorter than the time after which an agent of a dead process is resumed. */
const LEASE_MS = 4_000;

/** The limiter of all processes that share a Redis. */
export class RedisConnectionLimiter extends ConnectionLimiter {
  private readonly scripts: ReturnType<typeof defineProbeScripts>;

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly limits: ConnectionLimits = CONNECTION_LIMITS,
    private readonly leaseMs = LEASE_MS,
  ) {
    super();
    this.scripts = defineProbeScripts(redis);
  }

  /** @throws what Redis throws */
  override async enter(target: ProbeTarget): Promise<Admission> {
    const token = randomUUID();
    const keys = this.keys(target);
    const { atOnce, perSecond, deaths } = this.limits;
    const args = [token, nameOf(target), target.tool, this.leaseMs, atOnce, perSecond, deaths];
    const [answer, number] = await this.scripts.consiliumProbeEnter(...keys, ...args);
    switch (answer) {
      case 'wait':
        return { kind: 'wait', ms: number };
      case 'quarantined':
        return { kind: 'quarantined' };
      case 'granted':
        return { kind: 'granted', suspect: number > 0, leave: this.keep(target, token) };
    }
  }

  override async quarantined(): Promise<QuarantinedTarget[]> {
    const found = await this.redis.hgetall(this.key('quarantine'));
    return Object.entries(found).map(([target, text]) => {
      const { tool, at } = JSON.parse(text) as { tool: string; at: number };
      return { target, tool, since: new Date(at).toISOString() };
    });
  }

  override async lift(target: string): Promise<boolean> {
    return (await this.redis.hdel(this.key('quarantine'), target.toLowerCase())) === 1;
  }

  /** Renews a place until it is given back. */
  private keep(target: ProbeTarget, token: string): () => Promise<void> {
    const keys = this.keys(target);
    const renew = () =>
      void this.scripts.consiliumProbeRenew(...keys, token, this.leaseMs).catch(() => undefined);
    const timer = setInterval(renew, this.leaseMs / 4);
    timer.unref();
    return async () => {
      clearInterval(timer);
      // Where Redis cannot be reached, the place runs out by itself: no reason to lose what the probe has found.
      await this.scripts
        .consiliumProbeLeave(...keys, token, nameOf(target), target.tool)
        .catch(() => undefined);
    };
  }

  /** All under one hash tag, so that a script may touch them in a cluster. */
  private keys(target: ProbeTarget): string[] {
    const name = countedBy(target);
    return [`leases:${name}`, `starts:${name}`, 'owners', 'deaths', 'quarantine'].map((key) =>
      this.key(key),
    );
  }

  private key(name: string): string {
    return `${this.prefix}:{probes}:${name}`;
  }
}
