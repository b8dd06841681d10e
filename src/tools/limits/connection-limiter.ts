import { hostName } from './host-name.js';

/** Where a tool connects to, and which tool: a probe of this target. */
export interface ProbeTarget {
  /** A host name or an address, as the topology has it. */
  host: string;
  port: number;
  tool: string;
  /** The key by which its connections are counted: see `countedAddress`. Absent: the host. */
  address?: string;
}

/** One connection of a tool to its target. */
export interface Probe {
  target: ProbeTarget;
  /** Unique among the probes of all processes. */
  token: string;
}

export interface ConnectionLimits {
  /** Maximum connections to one host at once. */
  atOnce: number;
  /** Maximum connections to one host that begin within a second. */
  perSecond: number;
  /** Consecutive deaths of a process with the running probe that quarantine its target. */
  deaths: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { atOnce: 5, perSecond: 20, deaths: 2 };

/** A process's report to the limiter about one host, and its requests. */
export interface PlaceRequest {
  /** As `countedBy` has it. */
  host: string;
  /** Unique among the processes that ask. */
  process: string;
  /** Ended probes: their places are returned, and the process has survived them. */
  ended: Probe[];
  /**
   * Probes that were not begun and may have a place: their exchange failed, or they were cancelled.
   * They show nothing about the process.
   */
  withdrawn: Probe[];
  /** Tokens of the running probes: their places are kept. */
  held: string[];
  /**
   * Waiting probes, in order. A repeated request for one that has a place grants the same place.
   */
  wanted: Probe[];
}

/**
 * `suspect`: the last process that ran this probe has died, so that it should run alone in its
 * process.
 */
export type ProbeAdmission =
  { kind: 'granted'; suspect: boolean } | { kind: 'wait' } | { kind: 'quarantined' };

export interface PlaceAnswer {
  /** One for each requested probe. */
  admissions: ProbeAdmission[];
  /**
   * When to ask again for those that must wait. `rate`: no probe of this host begins before, in any
   * process. `places`: earlier if a probe of this process ends.
   */
  again?: { limit: 'rate' | 'places'; ms: number };
}

/**
 * A target that no process probes any more, since one of its probes has killed as many processes as
 * the limit allows.
 */
export interface QuarantinedTarget {
  /** `host:port` */
  target: string;
  /** The tool of the probe. */
  tool: string;
  /** ISO 8601 */
  since: string;
}

/**
 * Limits the connections to each host, over all processes, and detects probes that did not return.
 * A place that is not returned in time counts as a death of its process, once for all places of the
 * same probe that began before that death was known: two runs may probe a target in one process. A
 * process that reports the place again reverts that. For each process that has waited longer than
 * the requesting one, one free place is reserved.
 */
export abstract class ConnectionLimiter {
  /** ms after which a place is lost if its process has neither renewed nor returned it. */
  abstract readonly leaseMs: number;
  /** Returns places, renews those in use and requests others; never waits for one. */
  abstract exchange(request: PlaceRequest): Promise<PlaceAnswer>;
  abstract quarantined(): Promise<QuarantinedTarget[]>;
  /**
   * Lets a target be probed again.
   * @param target `host:port`
   * @returns whether it was quarantined
   */
  abstract lift(target: string): Promise<boolean>;
}

/**
 * ms to wait for a place that a process may return at any time: the time already waited, within
 * bounds.
 */
export const retryMs = (waited: number): number => Math.min(Math.max(waited, 20), 250);

/** The key by which the connections to a target are counted. */
export const countedBy = ({ host, address }: ProbeTarget): string => hostName(address ?? host);

/** `host:port` of a target, in the normalised spelling of its host. */
export const nameOf = ({ host, port }: Pick<ProbeTarget, 'host' | 'port'>): string =>
  `${hostName(host)}:${port}`;
