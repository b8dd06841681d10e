import type { TextSymptom } from '../../symptoms.js';

/**
 * The possible effects of each mechanism of a change, and how readily it causes them, 0 to 1. From
 * experience with running systems; a removed index makes queries slow and the processor of the
 * database busy, it does not invalidate certificates.
 */
// A table: one line for each row.
// prettier-ignore
export const EFFECTS = {
  'nil-guard-removed': { crash: 1, wrong: 0.4, error: 0.5 },
  'limit-lowered': { pool: 1, throttle: 0.8, oom: 0.5, queue: 0.5, timeout: 0.5, latency: 0.5, refused: 0.3, retry: 0.4, client: 0.4 },
  'memory-limit-lowered': { oom: 1, restart: 0.7, refused: 0.7, cache: 0.7 },
  'cpu-limit-lowered': { throttle: 1, cpu: 0.8, latency: 0.8, timeout: 0.5, restart: 0.3 },
  'instances-lowered': { cpu: 0.9, latency: 0.8, load: 0.6, queue: 0.7, timeout: 0.5, refused: 0.4 },
  'machine-smaller': { cpu: 1, dbcpu: 1, throttle: 0.6, latency: 0.8, memory: 0.5, oom: 0.6, timeout: 0.5, queue: 0.4 },
  'descriptors-lowered': { fd: 1, refused: 0.4, error: 0.4 },
  'limit-raised': { pool: 0.5, load: 0.5, oom: 0.6, latency: 0.3, throttle: 0.4 },
  'connections-raised': { pool: 1, load: 0.5, refused: 0.4, throttle: 0.4, latency: 0.3 },
  // Each instance has its own connections, and sends its own requests.
  'instances-raised': { pool: 1, load: 0.5, refused: 0.4, throttle: 0.5, latency: 0.3 },
  'concurrency-raised': { load: 0.9, throttle: 0.9, pool: 0.8, lock: 0.5, cpu: 0.5, oom: 0.5, latency: 0.5, refused: 0.4 },
  'constant-changed': { wrong: 0.5, error: 0.35, deser: 0.45, latency: 0.3, throttle: 0.35, client: 0.3, load: 0.3 },
  'time-changed': { wrong: 0.8, clock: 0.8, auth: 0.5, client: 0.4, deser: 0.4, error: 0.3 },
  'lock-removed': { crash: 0.8, wrong: 0.6, conflict: 0.7, lock: 0.5 },
  'loop-unbounded': { cpu: 0.8, load: 0.9, throttle: 0.6, latency: 0.5, queue: 0.4 },
  'timeout-lowered': { timeout: 1, error: 0.4, retry: 0.5, queue: 0.5, restart: 0.4 },
  'timeout-raised': { pool: 0.5, latency: 0.6, queue: 0.4 },
  'timeout-removed': { latency: 0.7, pool: 0.7, timeout: 0.4, queue: 0.4 },
  'retries-lowered': { retry: 1, timeout: 0.7, error: 0.4, conflict: 0.8 },
  'retries-raised': { retry: 1, load: 0.9, throttle: 0.7, latency: 0.5, queue: 0.4 },
  'backoff-removed': { load: 0.8, conflict: 0.8, throttle: 0.6, retry: 0.7, cpu: 0.3 },
  'ttl-lowered': { cache: 1, load: 0.8, latency: 0.5 },
  'ttl-raised': { oom: 0.4, wrong: 0.5 },
  // Entries that were stored at one time expire at one time.
  'jitter-removed': { cache: 1, load: 0.9, queries: 0.6, latency: 0.5, dbcpu: 0.5 },
  'interval-lowered': { load: 0.8, cpu: 0.6, throttle: 0.7 },
  'interval-raised': { queue: 0.5, wrong: 0.3 },
  'idle-time-lowered': { refused: 0.8, error: 0.5, ports: 0.4, latency: 0.3, load: 0.3, timeout: 0.3 },
  'batch-lowered': { throttle: 0.8, load: 0.7, queue: 0.7, latency: 0.4 },
  'batch-raised': { oom: 0.6, timeout: 0.6, latency: 0.5, lock: 0.4 },
  'batching-removed': { throttle: 1, load: 0.9, latency: 0.7, queries: 0.9, queue: 0.6 },
  'io-in-loop': { queries: 1, latency: 0.9, load: 0.7, pool: 0.4, throttle: 0.5 },
  'unbounded-growth': { oom: 1, memory: 1, latency: 0.2, disk: 0.5 },
  'release-removed': { pool: 0.9, memory: 0.6, fd: 1, lock: 0.6, oom: 0.4 },
  'connection-reuse-removed': { ports: 1, fd: 0.6, latency: 0.5, load: 0.4, cpu: 0.3 },
  'leak-added': { memory: 0.8, oom: 0.8, pool: 0.6, fd: 0.7, cpu: 0.4 },
  'call-removed': { notfound: 0.7, error: 0.5, wrong: 0.5, startup: 0.4, cache: 0.3 },
  'registration-removed': { notfound: 1, error: 0.6, startup: 0.4 },
  'contract-renamed': { deser: 1, notfound: 0.6, schema: 0.8, error: 0.5, wrong: 0.5 },
  'schema-use': { schema: 1, queries: 0.3 },
  'schema-change': { schema: 1, lock: 0.8, latency: 0.5 },
  'index-removed': { latency: 0.9, queries: 0.6, dbcpu: 1, timeout: 0.5, lock: 0.4 },
  'unbounded-read': { oom: 0.9, memory: 0.9, latency: 0.8, dbcpu: 0.6, timeout: 0.6, load: 0.3 },
  'query-heavier': { latency: 0.8, dbcpu: 1, timeout: 0.6, lock: 0.5, load: 0.4 },
  'version-major': { startup: 1, crash: 0.7, deser: 0.6, error: 0.4 },
  'version-minor': { startup: 0.9, crash: 0.5, deser: 0.4, error: 0.2 },
  // Other statistics, hints or settings of the optimizer: the same query is executed differently.
  'plan-changed': { dbcpu: 1, latency: 0.9, queries: 0.5, timeout: 0.7, pool: 0.6, lock: 0.4 },
  'lock-added': { lock: 1, latency: 0.8, timeout: 0.4, queue: 0.4 },
  'cpu-heavier': { cpu: 1, latency: 0.8, timeout: 0.3 },
  'auth-changed': { auth: 1, error: 0.3 },
  // A policy that omits port 53 prevents name resolution.
  'network-policy-changed': { timeout: 1, refused: 0.8, dns: 0.8, error: 0.4 },
  // Packets that exceed the limit of a hop are lost: short answers arrive, long ones do not.
  'packet-size-changed': { timeout: 1, latency: 0.5, refused: 0.4, error: 0.5 },
  'tls-changed': { tls: 1 },
  'address-changed': { refused: 1, readonly: 1, dns: 0.6, notfound: 0.7, error: 0.4, timeout: 0.4 },
  'clock-sync-removed': { clock: 1, auth: 0.4 },
  'name-server-changed': { dns: 1, notfound: 0.5, timeout: 0.4 },
  'env-changed': { startup: 0.9, crash: 0.5, refused: 0.4, error: 0.4 },
  'fallback-removed': { error: 0.6, timeout: 0.5 },
  'flag-flipped': { error: 0.5, latency: 0.4, wrong: 0.4, deser: 0.4, load: 0.4, cpu: 0.3, startup: 0.3 },
  // Data that was in memory is written to the disk, or each write waits for the disk.
  'disk-use-raised': { disk: 1, latency: 0.6, timeout: 0.4, queue: 0.4 },
  'retention-raised': { disk: 1, memory: 0.4, oom: 0.4 },
  'key-changed': { cache: 1, load: 0.7, latency: 0.5, dbcpu: 0.5, queue: 0.8, skew: 1 },
  'cache-removed': { cache: 1, load: 0.9, latency: 0.8, queries: 0.5 },
  'validation-tightened': { client: 1, error: 0.5, deser: 0.5 },
  'leniency-removed': { deser: 1, client: 0.7, error: 0.5 },
  'fixed-position-read': { crash: 0.5, error: 0.3, wrong: 0.3 },
  arithmetic: { wrong: 0.7, crash: 0.3, error: 0.3 },
  'ordering-changed': { lock: 1, conflict: 0.7 },
  'sync-call-added': { latency: 0.8, timeout: 0.5 },
  'verbosity-raised': { disk: 0.9, cpu: 0.4, latency: 0.3 },
  'command-changed': { startup: 1, restart: 0.7, crash: 0.6, refused: 0.4, error: 0.3 },
  'readiness-changed': { restart: 0.8, startup: 0.8, refused: 0.8, error: 0.5 },
  'probe-changed': { restart: 0.8, startup: 0.5, refused: 0.4 },
} as const satisfies Record<string, Partial<Record<TextSymptom, number>>>;

export type MechanismKind = keyof typeof EFFECTS;

export const effectsOf = (kind: MechanismKind): [TextSymptom, number][] =>
  Object.entries(EFFECTS[kind]) as [TextSymptom, number][];

/** A way in which a change may cause harm, read from its diff. */
export interface Mechanism {
  kind: MechanismKind;
  /** The text that it was read from. */
  about: string;
  /** Names and texts that telemetry may repeat. */
  literals?: string[];
  /** A setting whose value has changed, in base units (seconds, bytes) and as it is written. */
  numbers?: { from: number; to: number; toText: string };
  /** It may be a refactoring. */
  weak?: boolean;
}
