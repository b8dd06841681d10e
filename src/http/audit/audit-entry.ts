import { createHash } from 'node:crypto';
import { z } from 'zod';

/** An action, its principal, and its outcome. Contains no content of a request, and no secret. */
export const auditRecord = z.object({
  at: z.iso.datetime(),
  tenant: z.string(),
  /** Null: the credential was not valid. */
  principal: z.string().nullable(),
  /** Id of the API key. */
  keyId: z.string().optional(),
  /** As in the table of roles; `login:failed` for a credential that was not valid. */
  action: z.string(),
  method: z.string(),
  /** Without the query. */
  path: z.string(),
  /**
   * The ids of the objects, if the path does not name them, with the decision, the version, or the
   * outcome of a delivery.
   */
  object: z.string().optional(),
  /** Status of the HTTP response. */
  status: z.int(),
  address: z.string(),
  /**
   * The same as in the process log; chosen by the client or its proxy if it sent one. Absent in
   * entries of older versions.
   */
  requestId: z.string().optional(),
  /** Why a token was not valid, without text of it. */
  reason: z.string().optional(),
});
export type AuditRecord = z.infer<typeof auditRecord>;

const FIELDS = Object.keys(auditRecord.shape);

/**
 * A record in its chain: `hash` is the SHA-256 of `prev`, a line feed and the JSON of the record,
 * its fields in the order above.
 */
export const auditEntry = auditRecord.extend({
  /** The hash of the previous entry; empty for the first. */
  prev: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof auditEntry>;

/** Chains a record to the entry before it. */
export function chained(record: AuditRecord, prev: string): AuditEntry {
  return { ...record, prev, hash: hashOf(record, prev) };
}

/**
 * Whether an entry is unchanged, and follows an entry with this hash.
 * @param prev undefined: any, after a value that is not an entry
 */
export function isIntact(entry: AuditEntry, prev: string | undefined): boolean {
  const { prev: stated, hash, ...record } = entry;
  return (prev === undefined || stated === prev) && hash === hashOf(record, stated);
}

const hashOf = (record: AuditRecord, prev: string): string =>
  createHash('sha256')
    .update(`${prev}\n${JSON.stringify(record, FIELDS)}`)
    .digest('hex');
