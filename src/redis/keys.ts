import { DEFAULT_TENANT, inTenant, tenantOf } from '../domain/tenant.js';

/**
 * Every Redis key and channel except those of the event log (src/event-log/keys.ts). Keys that one
 * script or transaction uses share a hash tag, so that they are in one slot of a cluster.
 */

/**
 * Prefix of BullMQ's keys. All queues share a hash tag, because a parent and its children must be
 * in one slot.
 */
export const queuePrefix = (prefix: string) => `{${prefix}}`;

/** Sorted set: jobs that were delayed, by the end of their delay in ms of the store's clock. */
export const delaysKey = (prefix: string) => `${queuePrefix(prefix)}:delays`;

/**
 * Sorted set: jobs of a queue that wait before they are tried again, by the end of the wait in ms
 * of the store's clock.
 */
export const retriesKey = (prefix: string, queue: string) =>
  `${queuePrefix(prefix)}:${queue}-retries`;

/**
 * String: when the last backup was made, in seconds since 1970; the script that makes it writes
 * this (docs/operating.md).
 */
export const backupKey = (prefix: string) => `${prefix}:backup`;

/** String: digest of the backup that is being restored; exists only until all of its keys do. */
export const restoreKey = (prefix: string) => `${prefix}:{restore}`;

/** Channel: ids of sealed runs. */
export const sealedChannel = (prefix: string) => `${prefix}:sealed`;

/** String, expires: marks a run that ends without followers as followed. */
export const followedKey = (prefix: string, runId: string) => `${prefix}:{${runId}}:followed`;

/**
 * String, expires: marks such a run as followed by a client whose stream ended at an open approval.
 */
export const pausedKey = (prefix: string, runId: string) => `${prefix}:{${runId}}:paused`;

/** String: `runId:hash of the body`. @param digest of caller, path and `Idempotency-Key` */
export const idempotencyKey = (prefix: string, digest: string) =>
  `${prefix}:{idempotency}:${digest}`;

/** Keys of one caller. */
export function callerKeys(prefix: string, caller: string) {
  const own = `${prefix}:{caller:${caller}}`;
  return {
    /** String, JSON: notices that runs of a topology deferred to the next one. */
    deferredNotices: (topologyId: number) => `${own}:next-session:${topologyId}`,
    /** Counter: messages answered in a month, `2026-11`. */
    messages: (month: string) => `${own}:messages:${month}`,
    /** String: the conversation that `POST /api/oracle/stream` continues. */
    oracle: `${own}:oracle`,
    /** String: the caller's limits for chats. */
    limits: `${own}:limits`,
    /** Sorted set: open streams by the end of their lease, in ms. */
    streams: `${own}:streams`,
    /** Sorted set: conversation ids by time. */
    conversations: `${own}:conversations`,
  };
}

/** Keys of one tenant. */
export function tenantKeys(prefix: string, tenant: string) {
  const own = `${prefix}:{tenant:${tenant}}`;
  return {
    /** Sorted set: runs that may not have ended, by the time in ms when they were entered. */
    open: `${own}:open`,
    /** Hash: `tokens` and `cost` of runs that ended on a day, `2026-11-22`. */
    usage: (day: string) => `${own}:usage:${day}`,
  };
}

/**
 * Sorted set: tenant → the number of its last run; empty name → that of the last completed one.
 * Expires.
 * @param kind of the runs
 */
export const runOrderKey = (prefix: string, kind: string) => `${prefix}:{order}:${kind}`;

/** Keys of the audit log of a tenant. */
export function auditKeys(prefix: string, tenant: string) {
  const own = `${prefix}:{audit:${tenant}}`;
  return {
    /** Stream: field `e`: an entry as JSON. */
    log: `${own}:log`,
    /** String: hash of the last entry. */
    last: `${own}:last`,
    /** String: `prev` of the oldest entry that retention has kept; empty: nothing was trimmed. */
    first: `${own}:first`,
  };
}

/**
 * Set: the tenants whose audit log has `first`; that of a tenant which is not in it is empty, or of
 * an earlier version.
 */
export const auditLogsKey = (prefix: string) => `${prefix}:{audit}:tenants`;

/** Hash: id → JSON of an API key, without its secret part. */
export const apiKeysKey = (prefix: string) => `${prefix}:{auth}:keys`;

/** Hash: id of an API key → when it was last used, in ms. */
export const keyUsesKey = (prefix: string) => `${prefix}:{auth}:key-uses`;

/** String, JSON: the principal of a session. Expires. @param digest of its token */
export const sessionKey = (prefix: string, digest: string) => `${prefix}:{auth}:session:${digest}`;

/** String, JSON: run and principal of a stream ticket. Expires. @param digest of the ticket */
export const ticketKey = (prefix: string, digest: string) => `${prefix}:{auth}:ticket:${digest}`;

/** Keys of alerts. */
export function alertKeys(prefix: string) {
  const alerts = `${prefix}:{alerts}`;
  return {
    /** String: the run that alerts of a topology started last. Expires. */
    run: (tenant: string, topologyId: number) =>
      `${alerts}:run:${inTenant(tenant, String(topologyId))}`,
    /** Hash: fingerprint → JSON of an alert that started or joined a run. Expires. */
    ofRun: (runId: string) => `${alerts}:of:${runId}`,
    /** Counter of the deliveries that changed the alerts of a run. Expires. */
    changes: (runId: string) => `${alerts}:changes:${runId}`,
    /** String, JSON: the answer to a signed delivery. Expires. @param digest of the delivery */
    delivery: (digest: string) => `${alerts}:delivery:${digest}`,
  };
}

/** Hash: id of a schedule → its last run. */
export const scheduledRunsKey = (prefix: string) => `${prefix}:{schedules}:runs`;

/** Hash: id of a destination of reports that answered 410 → digest of its address. */
export const goneDestinationsKey = (prefix: string) => `${prefix}:{reports}:gone`;

/**
 * Hash: title, owner, exchanges and answers of one conversation. Tenants may use the same ids.
 * @param owner names the tenant
 */
export const conversationKey = (prefix: string, id: string, owner: string) =>
  `${prefix}:{conversation:${inTenant(tenantOf(owner), id)}}`;

/** String, JSON: the rules and subscribers of runs that started with the same files. */
export const ruleSnapshotKey = (prefix: string, digest: string) => `${prefix}:{pins}:${digest}`;

/** Hash: id of a process → JSON of its last heartbeat. */
export const processesKey = (prefix: string) => `${prefix}:{processes}`;

/** Prefix of the keys of one model's limiter and breaker. */
export const modelKey = (prefix: string, model: string) => `${prefix}:{model:${model}}`;

/** Keys of the topologies of a tenant. */
export function topologyKeys(prefix: string, tenant: string) {
  const topologies = `${prefix}:{${tenant === DEFAULT_TENANT ? 'topologies' : `topologies/${tenant}`}}`;
  return {
    /**
     * Hash of one topology: `topology` and `card` (JSON), `version`, `createdAt` and `updatedAt`
     * (ms), `owner`, `edited`, `write`.
     */
    record: (id: number) => `${topologies}:${id}`,
    /** Sorted set: topology ids by id, for paging. */
    index: `${topologies}:index`,
    /**
     * Hash: id → last version. Kept after the topology is deleted, so that no version is used
     * twice.
     */
    versions: `${topologies}:versions`,
    /**
     * Hash: version → `updatedAt` (ms), a line feed, and the topology as JSON. Deleted with the
     * topology.
     */
    history: (id: number) => `${topologies}:history:${id}`,
    /**
     * Hash: id → hash of the file that was loaded last. Kept after the topology is deleted, so that
     * an unchanged file does not create it again.
     */
    files: `${topologies}:files`,
  };
}

export type TopologyKeys = ReturnType<typeof topologyKeys>;
