/**
 * Every Redis key and channel but those of the event log (src/event-log/keys.ts), spelled once. Keys that one script or
 * transaction touches share a hash tag, so that they share a slot in a cluster.
 */

/** Begins the keys of BullMQ. One hash tag for all queues: a parent and its children must share a slot. */
export const queuePrefix = (prefix: string) => `{${prefix}}`;

/** Channel: ids of runs that were sealed. */
export const sealedChannel = (prefix: string) => `${prefix}:sealed`;

/** String, expires: a run that ends without followers is followed. */
export const followedKey = (prefix: string, runId: string) => `${prefix}:{${runId}}:followed`;

/** String: `runId:hash of the body`. @param digest of caller, path and `Idempotency-Key` */
export const idempotencyKey = (prefix: string, digest: string) =>
  `${prefix}:{idempotency}:${digest}`;

/** What belongs to one caller. */
export function callerKeys(prefix: string, caller: string) {
  const own = `${prefix}:{caller:${caller}}`;
  return {
    /** String, JSON: notices that sessions about a topology deferred to the next one. */
    deferredNotices: (topologyId: number) => `${own}:next-session:${topologyId}`,
    /** Messages answered in a month, `2026-11`. */
    messages: (month: string) => `${own}:messages:${month}`,
    /** The conversation that `POST /api/oracle/stream` continues. */
    oracle: `${own}:oracle`,
    /** Limits that the caller has set for chats. */
    limits: `${own}:limits`,
    /** Sorted set: conversation id by time. */
    conversations: `${own}:conversations`,
  };
}

/** Hash: title, owner, exchanges and answers of one conversation. */
export const conversationKey = (prefix: string, id: string) => `${prefix}:{conversation:${id}}`;

/** String, JSON: the rules and subscribers of runs that began with the same files. */
export const ruleSnapshotKey = (prefix: string, digest: string) => `${prefix}:{pins}:${digest}`;

/** Begins the keys of the limiter and breaker of one model. */
export const modelKey = (prefix: string, model: string) => `${prefix}:{model:${model}}`;

/** The stored topologies. */
export function topologyKeys(prefix: string) {
  const topologies = `${prefix}:{topologies}`;
  return {
    /** Hash of one topology: `topology` and `card` (JSON), `version`, `createdAt` and `updatedAt` (ms), `owner`, `edited`, `write`. */
    record: (id: number) => `${topologies}:${id}`,
    /** Sorted set: id by id, for paging. */
    index: `${topologies}:index`,
    /** Hash: id → last version given. Outlives the topology, so that no version is given twice. */
    versions: `${topologies}:versions`,
    /** Hash: id → hash of the file last loaded for it. Outlives the topology, so that an unchanged file does not bring it back. */
    files: `${topologies}:files`,
  };
}

export type TopologyKeys = ReturnType<typeof topologyKeys>;
