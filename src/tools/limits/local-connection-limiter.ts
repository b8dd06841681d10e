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

interface Place {
  target: ProbeTarget;
  /** ms, by the clock given */
  until: number;
  /** Deaths of the probe that were known when it began. */
  known: number;
}

/** The limiter of a single process: for tests, and for tools that run without a service. */
export class LocalConnectionLimiter extends ConnectionLimiter {
  private readonly places = new Set<Place>();
  private readonly starts = new Map<string, number[]>();
  private readonly deaths = new Map<string, number>();
  private readonly quarantine = new Map<string, QuarantinedTarget>();

  /**
   * @param leaseMs after which a place that was not given back counts as lost
   * @param now ms since 1970
   */
  constructor(
    private readonly limits: ConnectionLimits = CONNECTION_LIMITS,
    private readonly leaseMs = Infinity,
    private readonly now: () => number = Date.now,
  ) {
    super();
  }

  override enter(target: ProbeTarget): Promise<Admission> {
    const now = this.now();
    this.expire(now);
    if (this.quarantine.has(nameOf(target))) return Promise.resolve({ kind: 'quarantined' });
    const host = countedBy(target);
    const inUse = [...this.places].filter((place) => countedBy(place.target) === host);
    if (inUse.length >= this.limits.atOnce) return Promise.resolve({ kind: 'wait', ms: 20 });
    const starts = (this.starts.get(host) ?? []).filter((start) => start > now - 1_000);
    this.starts.set(host, starts);
    if (starts.length >= this.limits.perSecond)
      return Promise.resolve({ kind: 'wait', ms: Math.ceil((starts[0] ?? now) + 1_000 - now) });
    starts.push(now);
    const key = keyOf(target);
    const known = this.deaths.get(key) ?? 0;
    const place = { target, known, until: now + this.leaseMs };
    this.places.add(place);
    return Promise.resolve({
      kind: 'granted',
      suspect: known > 0,
      leave: () => {
        this.places.delete(place);
        this.deaths.delete(key);
        return Promise.resolve();
      },
    });
  }

  override quarantined(): Promise<QuarantinedTarget[]> {
    return Promise.resolve([...this.quarantine.values()]);
  }

  override lift(target: string): Promise<boolean> {
    return Promise.resolve(this.quarantine.delete(target.toLowerCase()));
  }

  private expire(now: number): void {
    for (const place of this.places) {
      if (place.until > now) continue;
      this.places.delete(place);
      const key = keyOf(place.target);
      const deaths = Math.max(this.deaths.get(key) ?? 0, place.known + 1);
      this.deaths.set(key, deaths);
      if (deaths < this.limits.deaths) continue;
      this.deaths.delete(key);
      this.quarantine.set(nameOf(place.target), {
        target: nameOf(place.target),
        tool: place.target.tool,
        since: new Date(now).toISOString(),
      });
    }
  }
}

const keyOf = (target: ProbeTarget) => `${nameOf(target)} ${target.tool}`;
