import type { Agent } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Checks the target of a connection, resolves its name once, and limits the connections to its
 * host.
 */
export interface Egress {
  /** @throws if the target is not allowed */
  resolve(target: {
    host: string;
    port: number;
  }): Promise<readonly { address: string; family: 4 | 6 }[]>;
  /**
   * Waits for a place among the connections to the host, over all processes and tools.
   * @returns gives it back, once the connection has ended
   * @throws the signal's reason; if the host is quarantined
   */
  enter(target: { host: string; port: number }, signal: AbortSignal): Promise<() => Promise<void>>;
}

/** The certificates that a TLS connection trusts, and the client's own; PEM texts. */
export interface TlsIdentity {
  ca?: string;
  cert?: string;
  key?: string;
}

/** One connection at a time, for consecutive requests. */
export interface HeldConnection {
  readonly agent: Agent;
  /**
   * Waits for a place among the connections to the host, unless the last request has left its
   * connection open.
   * @throws the signal's reason; if the host is quarantined
   */
  ready(signal: AbortSignal): Promise<void>;
  /** @param socket of a request that was sent */
  uses(socket: Socket): void;
}

export interface SourceServer {
  endpoint: string;
  egress: Egress;
  /** The header `Authorization` of a request, read for each one. */
  authorization?: () => Promise<string>;
  tls?: TlsIdentity;
  /**
   * The certificate (PEM) of the only authority that is trusted, read for each request; absent:
   * `tls.ca`, or the well-known ones.
   */
  authority?: () => Promise<string>;
  /** Sent with each request; no credentials. */
  headers?: Readonly<Record<string, string>>;
  /** Of several requests, by `withConnection`; by default each request has its own. */
  connection?: HeldConnection;
  timeoutMs?: number;
}
