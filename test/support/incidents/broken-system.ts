import { KAFKA_PASSWORD } from '../sources/look-at-kafka.js';
import { KUBERNETES_TOKEN } from '../sources/kubernetes-replay.js';

/**
 * A node of a system with a fault in it, and the server of SOURCES_FILE with the same id that it
 * selects from.
 */
export interface BrokenSystem {
  node: Record<string, unknown>;
  listed?: Record<string, unknown>;
  /**
   * How many questions have reached the server so far, counted there: requests, queries, or for
   * Kafka connections.
   */
  asked?: () => number | Promise<number>;
  stop: () => unknown;
}

export interface Broken {
  /** The kind of its source. */
  name: string;
  /** Whether its program is installed. */
  isThere: () => boolean;
  /** @param folder for files that nothing else writes */
  start: (folder: string) => Promise<BrokenSystem>;
  /** The title of what a diagnosis finds at its node. */
  finds: RegExp;
  /**
   * How many questions one diagnosis may ask of it: what docs/sources.md says. Undefined where
   * there is no server.
   */
  most?: number;
}

/** Credentials of the servers: references, and what they refer to. */
export const PASSWORDS = {
  DB_PASSWORD: 'hunter2-4711',
  KAFKA_PASSWORD,
  K8S_TOKEN: KUBERNETES_TOKEN,
  GITHUB_TOKEN: 'ghp-5b2d9c',
};

export const MINUTE = 60_000;
export const always = () => true;

/** What a log says: the usual, and for some minutes that orders fail. */
export const lines = (now: number) =>
  Array.from({ length: 50 }, (_, i) => ({
    at: now - (50 - i) * MINUTE,
    body: i < 40 ? `stored order ${i}` : `ERROR cannot store order ${i}: the disk is full`,
    severity: i < 40 ? 'info' : 'error',
  }));
