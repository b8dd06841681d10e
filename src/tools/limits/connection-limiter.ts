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

export interface ConnectionLimits {
  /** Connections to one host at once. */
  atOnce: number;
  /** Connections to one host that begin within a second. */
  perSecond: number;
  /** Deaths of a process in a row, with the probe under way, that quarantine its target. */
  deaths: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = { atOnce: 5, perSecond: 20, deaths: 2 };

/**
 * `wait`: no room, ask again after so many ms. `suspect`: the last process that ran this probe has died, so that it should
 * run alone in its process. `leave` gives the place back, and records that the process has survived the probe.
 */
export type Admission =
  | { kind: 'granted'; suspect: boolean; leave: () => Promise<void> }
  | { kind: 'wait'; ms: number }
  | { kind: 'quarantined' };

/** A target that no process probes any more, since a probe of it has killed as many processes as the limit allows. */
export interface QuarantinedTarget {
  /** `host:port` */
  target: string;
  /** The tool whose probe it was. */
  tool: string;
  /** ISO 8601 */
  since: string;
}

/**
 * Bounds the connections to each host, over all processes, and remembers probes that did not come back. A place that is not
 * given back in time counts as a death of the process that held it, once for all places of the same probe that began before that
 * death was known: two runs may probe a target in one process.
 */
export abstract class ConnectionLimiter {
  /** Asks for a place; never waits for one. */
  abstract enter(target: ProbeTarget): Promise<Admission>;
  abstract quarantined(): Promise<QuarantinedTarget[]>;
  /** Lets a target be probed again. @param target `host:port` @returns whether it was quarantined */
  abstract lift(target: string): Promise<boolean>;
}

/** What the connections to a target are counted by. */
export const countedBy = ({ host, address }: ProbeTarget): string => hostName(address ?? host);

/** `host:port` of a target, in the one spelling of its host. */
export const nameOf = ({ host, port }: Pick<ProbeTarget, 'host' | 'port'>): string =>
  `${hostName(host)}:${port}`;
