import {
  type ProbeAdmission,
  CONNECTION_LIMITS,
  ConnectionLimiter,
  type ConnectionLimits,
  countedBy,
  nameOf,
  type PlaceAnswer,
  type PlaceRequest,
  type Probe,
  type ProbeTarget,
  type QuarantinedTarget,
  retryMs,
} from './connection-limiter.js';

interface Place {
  target: ProbeTarget;
  /** ms, by the clock given */
  until: number;
  /** Known deaths of the probe when it began. */
  known: number;
}

/** The limiter of a single process: for tests, and for tools that run without a service. */
export class LocalConnectionLimiter extends ConnectionLimiter {
  /** By token. */
  private readonly places = new Map<string, Place>();
  private readonly starts = new Map<string, number[]>();
  /** By host: since when a process waits for places. */
  private readonly waits = new Map<string, number>();
  /** Tokens of places that ran out. */
  private readonly lost = new Set<string>();
  private readonly deaths = new Map<string, number>();
  private readonly quarantine = new Map<string, QuarantinedTarget>();

  /** @param now ms since 1970 */
  constructor(
    private readonly limits: ConnectionLimits = CONNECTION_LIMITS,
    override readonly leaseMs = Infinity,
    private readonly now: () => number = Date.now,
  ) {
    super();
  }

  override exchange({ host, ended, withdrawn, held, wanted }: PlaceRequest): Promise<PlaceAnswer> {
    const now = this.now();
    for (const { token, target } of ended)
      if (!this.takeBack(token, target) && this.places.delete(token))
        this.deaths.delete(keyOf(target));
    for (const { token, target } of withdrawn)
      if (!this.takeBack(token, target)) this.places.delete(token);
    for (const token of held) {
      const place = this.places.get(token);
      if (place) place.until = now + this.leaseMs;
    }
    this.expire(now);
    const starts = (this.starts.get(host) ?? []).filter((start) => start > now - 1_000);
    this.starts.set(host, starts);
    const admissions = wanted.map((probe) => this.admit(host, probe, starts));
    const granted = admissions.some(({ kind }) => kind === 'granted');
    if (granted || wanted.length === 0) this.waits.delete(host);
    if (!admissions.some(({ kind }) => kind === 'wait')) return Promise.resolve({ admissions });
    const since = this.waits.get(host) ?? now;
    this.waits.set(host, since);
    const byRate = starts.length >= this.limits.perSecond;
    const again = byRate
      ? { limit: 'rate' as const, ms: Math.max(10, (starts[0] ?? now) + 1_001 - now) }
      : { limit: 'places' as const, ms: retryMs(now - since) };
    return Promise.resolve({ admissions, again });
  }

  override quarantined(): Promise<QuarantinedTarget[]> {
    return Promise.resolve([...this.quarantine.values()]);
  }

  override lift(target: string): Promise<boolean> {
    return Promise.resolve(this.quarantine.delete(target.toLowerCase()));
  }

  /**
   * The process of a lost place is alive.
   * @returns whether it was lost
   */
  private takeBack(token: string, target: ProbeTarget): boolean {
    if (!this.lost.delete(token)) return false;
    this.deaths.delete(keyOf(target));
    if (this.quarantine.get(nameOf(target))?.tool === target.tool)
      this.quarantine.delete(nameOf(target));
    return true;
  }

  private admit(host: string, { token, target }: Probe, starts: number[]): ProbeAdmission {
    this.takeBack(token, target);
    const known = this.deaths.get(keyOf(target)) ?? 0;
    if (this.places.has(token)) return { kind: 'granted', suspect: known > 0 };
    if (this.quarantine.has(nameOf(target))) return { kind: 'quarantined' };
    const places = [...this.places.values()].filter((place) => countedBy(place.target) === host);
    if (places.length >= this.limits.atOnce || starts.length >= this.limits.perSecond)
      return { kind: 'wait' };
    const now = this.now();
    starts.push(now);
    this.places.set(token, { target, known, until: now + this.leaseMs });
    return { kind: 'granted', suspect: known > 0 };
  }

  private expire(now: number): void {
    for (const [token, place] of this.places) {
      if (place.until > now) continue;
      this.places.delete(token);
      this.lost.add(token);
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
