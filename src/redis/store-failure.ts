import { LRUCache } from 'lru-cache';
import { commandsOfScript } from './script-commands.js';

/**
 * Redis denies this user a command, also within a script (the text differs by version), or the
 * login. An operator must act.
 */
const DENIED =
  /^(?:EXECABORT .*: )?(NOAUTH|NOPERM|WRONGPASS)\b|^ERR The user executing the script can't|\bACL failure in script\b/;
/** Messages of ioredis and Redis while the store is unavailable, full or busy. */
const UNAVAILABLE =
  /^(OOM|EXECABORT|LOADING|READONLY|MISCONF|NOREPLICAS|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|BUSY)\b|Command timed out|Connection is (already )?closed|Stream isn't writeable|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|max retries/i;

/** Whether the store caused an error, so that the same call may succeed later. */
export const isStoreFailure = (error: unknown): boolean =>
  error instanceof Error && (UNAVAILABLE.test(error.message) || DENIED.test(error.message));

const REPORT_AGAIN_MS = 60_000;
const reported = new LRUCache<string, string>({ max: 100, ttl: REPORT_AGAIN_MS });

/**
 * Names what is missing, whatever the key of the call is: the right, otherwise the message of Redis
 * without the parts that differ between calls.
 */
const subjectOf = ({ lacks, remedy, isNamed }: Denial, message: string): string =>
  lacks === 'login' || isNamed ? remedy : message.replace(/\S*[\d:{}]\S*/g, '…');

const COMMAND = /\b(?:permissions to|may not) run the '([^']+)' command/;

/**
 * The rights that a user lacks, in the syntax of ACL SETUSER; empty if Redis does not state them.
 */
function rightsOf(error: Error): string[] {
  const [, command] = COMMAND.exec(error.message) ?? [];
  if (command !== undefined) return [`+${command}`];
  if (/\bpermissions to access .*\bkeys?\b/.test(error.message))
    return ['~PREFIX:* and ~{PREFIX}:* (PREFIX is the value of REDIS_PREFIX)'];
  if (/\bpermissions to access .*\bchannels?\b/.test(error.message))
    return ['&PREFIX:* (PREFIX is the value of REDIS_PREFIX)'];
  return commandsOfScript(error).map((name) => `+${name.toLowerCase()}`);
}

interface Denial {
  lacks: 'login' | 'right';
  fault: string;
  remedy: string;
  /** Redis states which right is missing. */
  isNamed: boolean;
}

/** What Redis denies the user of REDIS_URL, and how to grant it; undefined for any other error. */
export function deniedAccess(error: unknown): Denial | undefined {
  if (!(error instanceof Error) || !DENIED.test(error.message)) return undefined;
  const fault = `Redis denies this service access: ${error.message.replace(/\.+$/, '')}.`;
  if (/^(NOAUTH|WRONGPASS)\b/.test(error.message))
    return {
      lacks: 'login',
      fault,
      remedy: 'Correct the user and the password in REDIS_URL.',
      isNamed: false,
    };
  const rights = rightsOf(error);
  return {
    lacks: 'right',
    fault,
    isNamed: rights.length > 0,
    remedy: `Grant ${rights.join(' or ') || 'the permission'} to the user in REDIS_URL (ACL SETUSER).`,
  };
}

/** The last denial, until it is reported again. */
export const recentDenial = (): string | undefined => [...reported.values()][0];

/** Logs that this service lacks a permission or a login in Redis: once a minute for each. */
export function reportDenied(error: unknown, logger: { error(message: string): void }): void {
  const denied = deniedAccess(error);
  if (!denied) return;
  const subject = subjectOf(denied, (error as Error).message);
  if (reported.has(subject)) return;
  // Health is public: the fault may name a run.
  reported.set(subject, `Redis denies this service access. ${denied.remedy}`);
  logger.error(`${denied.fault} Requests fail with 503 and runs wait. ${denied.remedy}`);
}
