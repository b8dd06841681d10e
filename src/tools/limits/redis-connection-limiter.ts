import type { Redis } from 'ioredis';
import {
  type ProbeAdmission,
  CONNECTION_LIMITS,
  ConnectionLimiter,
  type ConnectionLimits,
  nameOf,
  type PlaceAnswer,
  type PlaceRequest,
  type Probe,
  type QuarantinedTarget,
} from './connection-limiter.js';
import { definePlaceScript } from './limiter-scripts.js';

/** Shorter than the time after which an agent of a dead process is resumed. */
const LEASE_MS = 4_000;

/** The limiter of all processes that share a Redis. */
export class RedisConnectionLimiter extends ConnectionLimiter {
  private readonly script: ReturnType<typeof definePlaceScript>;

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    private readonly limits: ConnectionLimits = CONNECTION_LIMITS,
    override readonly leaseMs = LEASE_MS,
  ) {
    super();
    this.script = definePlaceScript(redis);
  }

  /** @throws the error of Redis */
  override async exchange(request: PlaceRequest): Promise<PlaceAnswer> {
    const { host, process, ended, withdrawn, held, wanted } = request;
    const { atOnce, perSecond, deaths } = this.limits;
    // All keys share one hash tag, so that one script may use them in a cluster.
    const ofHost = ['leases', 'starts', 'waiting'].map((name) => this.key(`${name}:${host}`));
    const ofAll = ['owners', 'deaths', 'quarantine', 'lost'].map((name) => this.key(name));
    const answer = await this.script.consiliumPlaces(
      ...[...ofHost, ...ofAll, process, this.leaseMs, atOnce, perSecond, deaths],
      ...[ended.length, withdrawn.length, held.length, wanted.length],
      ...[...[...ended, ...withdrawn].flatMap(argsOf), ...held, ...wanted.flatMap(argsOf)],
    );
    const [ms, byRate] = answer.slice(wanted.length);
    return {
      admissions: answer.slice(0, wanted.length).map(admissionOf),
      ...(ms !== undefined && { again: { limit: byRate === 1 ? 'rate' : 'places', ms } }),
    };
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

  private key(name: string): string {
    return `${this.prefix}:{probes}:${name}`;
  }
}

const argsOf = ({ token, target }: Probe) => [token, nameOf(target), target.tool];

function admissionOf(number: number): ProbeAdmission {
  if (number === -1) return { kind: 'quarantined' };
  if (number === -2) return { kind: 'wait' };
  return { kind: 'granted', suspect: number > 0 };
}
