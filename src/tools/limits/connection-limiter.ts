import { hostName } from './host-name.js';

/** Where a tool connects to, and which tool: a probe of this target. */
export interface ProbeTarget {
  /** A host name or an address, as the topology has it. */
  host: string;
  port: number;
  tool: string;
  /** By which its connections are counted: see `countedAddress`. Absent: the host. */
  address?: string;
}

/** One connection of a tool to its target. */
export interface Probe {
  target: ProbeTarget;
  /** Unique among the probes of all processes. */
  token: string;
}

export interface ConnectionLimits {
  /** Connections to one host at once. */
  atOnce: number;
  /** Connections to one host that begin within a second. */
  perSecond: number;
  /** Deaths of a process in a row, with the probe under way, that quarantine its target. */
  deaths: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { atOnce: 5, perSecond: 20, deaths: 2 };

/** What a process reports to the limiter about one host, and asks of it. */
export interface PlaceRequest {
  /** As `countedBy` has it. */
  host: string;
  /** Unique among the processes that ask. */
  process: string;
  /** Probes that ended: their places are given back, and the process has survived them. */
  ended: Probe[];
  /**
   * Probes that were not begun and may have a place: their exchange failed, or they were given up.
   * They say nothing of the process.
   */
  withdrawn: Probe[];
  /** Tokens of the probes under way: their places are kept. */
  held: string[];
  /**
   * Probes that would begin, the first one first. Asking again for one that has a place grants the
   * same place.
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
  /** One for each probe that was wanted. */
  admissions: ProbeAdmission[];
  /**
   * When to ask again for those that must wait. `rate`: no probe of this host begins before, in any
   * process. `places`: earlier if a probe of this process ends.
   */
  again?: { limit: 'rate' | 'places'; ms: number };
}

/**
 * A target that no process probes any more, since a probe of it has killed as many processes as the
 * limit allows.
 */
export interface QuarantinedTarget {
  /** `host:port` */
  target: string;
  /** The tool whose probe it was. */
  tool: string;
  /** ISO 8601 */
  since: string;
}

/**
 * Bounds the connections to each host, over all processes, and remembers probes that did not come
 * back. A place that is not given back in time counts as a death of the process that held it, once
 * for all places of the same probe that began before that death was known: two runs may probe a
 * target in one process. A process that names it again takes that back. Each process that has
 * waited longer than the one that asks is left one of the free places.
 */
export abstract class ConnectionLimiter {
  /** ms after which a place is lost that its process has neither kept nor given back. */
  abstract readonly leaseMs: number;
  /** Gives places back, keeps those in use and asks for others; never waits for one. */
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
 * ms to wait for a place that a process gives back at any time: as long as it was waited before,
 * within bounds.
 */
export const retryMs = (waited: number): number => Math.min(Math.max(waited, 20), 250);

/** What the connections to a target are counted by. */
export const countedBy = ({ host, address }: ProbeTarget): string => hostName(address ?? host);

/** `host:port` of a target, in the one spelling of its host. */
export const nameOf = ({ host, port }: Pick<ProbeTarget, 'host' | 'port'>): string =>
  `${hostName(host)}:${port}`;
