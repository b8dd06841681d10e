import { LRUCache } from 'lru-cache';
import { commandsOfScript } from './script-commands.js';

/** Redis refuses this user a command, also inside of a script (its words differ by version), or the login. An operator must act. */
const DENIED =
  /^(?:EXECABORT .*: )?(NOAUTH|NOPERM|WRONGPASS)\b|^ERR The user executing the script can't|\bACL failure in script\b/;
/** Messages of ioredis and Redis while the store is unavailable, full or busy. */
const TROUBLE =
  /^(OOM|EXECABORT|LOADING|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY)\b|Command timed out|Connection is (already )?closed|Stream isn't writeable|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|max retries/i;

/** Whether the store caused an error, so that the same call may succeed later. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof Error && (TROUBLE.test(error.message) || DENIED.test(error.message));

const REPORT_AGAIN_MS = 60_000;
const reported = new LRUCache<string, true>({ max: 100, ttl: REPORT_AGAIN_MS });

/** What lacks: the words without the keys and the digests of scripts, which differ from call to call. */
const subjectOf = (message: string): string =>
  message.replace(/'[^']*:[^']*'|"[^"]*:[^"]*"|\b[0-9a-f]{8,}\b|\d+/g, '…');

/** Logs that this service lacks a permission or a login in Redis: once a minute for each. */
export function reportDenied(error: unknown, logger: { error(message: string): void }): void {
  if (!(error instanceof Error) || !DENIED.test(error.message)) return;
  const { message } = error;
  const commands = commandsOfScript(error);
  const subject = [subjectOf(message), ...commands].join(' ');
  if (reported.has(subject)) return;
  reported.set(subject, true);
  const remedy = /^(NOAUTH|WRONGPASS)\b/.test(message)
    ? 'Correct the user and the password in REDIS_URL'
    : `Grant the permission${commands.length > 0 ? ` for ${commands.join(' or ')}` : ''} to the user in REDIS_URL (ACL SETUSER)`;
  logger.error(
    `Redis denies this service access: ${message.replace(/\.+$/, '')}. Requests fail with 503 and runs wait. ${remedy}.`,
  );
}
