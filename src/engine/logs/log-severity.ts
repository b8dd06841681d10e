import type { LogRecord } from '../../domain/telemetry/records.js';

export type LogSeverity = 'error' | 'warning' | 'other';

const LOOKED_AT = 400;
const ERROR = /^(?:[ef]$|err|fail|fatal|crit|alert|emerg|panic|severe)/i;
const WARNING = /^(?:w$|warn)/i;
/**
 * Severities that a source gives as a number: `50` of pino and bunyan, `3` of syslog (RFC 5424).
 */
const NUMBER = /^\d{1,2}$/;
/** `level=error`, `"severity": "ERROR"`, `log.level: warn`. */
const FIELD =
  /(?:^|[^a-z])(?:log[._]?)?(?:level|lvl|severity|@l)(?:[._]?(?:name|text))?["']?\s*[=:]\s*["']?(\w+)/i;
/**
 * `ERROR`, `[error]`, `<WARN>` before the message: preceded at most by a time, a thread and names.
 */
const LEADING =
  /^(?:\S{1,60}\s{1,9}){0,6}?[[(<|]?(FATAL|CRITICAL|CRIT|ERROR|ERR|SEVERE|PANIC|EMERG|ALERT|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE)[\])>|:]?(?=[\s:|/-])/;
const BRACKETED =
  /[[<(|]\s?(fatal|critical|crit|error|err|severe|panic|warning|warn|notice|info|debug|trace)\s?[\])>|]/i;
/** `E0618 15:04:05.123456`: klog, of Kubernetes and its controllers. */
const KLOG = /^([EWFI])\d{4} \d\d:\d\d/;
/** `<11>1 2026-…`: facility and severity of syslog (RFC 5424, section 6.2.1). */
const SYSLOG = /^<(\d{1,3})>/;
/** `fail: Shop.Orders[0]`: the console of .NET. */
const DOTNET = /^(fail|crit|warn|info|dbug|trce): /;
/**
 * A failed request in an access log of nginx, Apache and Envoy; of HAProxy, after its timers; in a
 * field.
 */
const FAILED_REQUEST =
  /"[A-Z]{3,8} [^"\s]{0,2000}(?: HTTP\/[\d.]{1,3})?" 5\d\d\b|(?: -?\d{1,9})(?:\/-?\d{1,9}){3}\/\+?\d{1,9} 5\d\d \d|(?:^|[^a-z])(?:http[._]?)?(?:status|response)(?:[._]?code)?["']?\s{0,2}[=:]\s{0,2}["']?5\d\d\b/i;
const WORDS = /\b(panic|fatal|exception|traceback)\b/i;
/**
 * `java.sql.SQLException: …`, `Caused by: …`, `TypeError: …`, `thiserror::Error: …`: how runtimes
 * print thrown errors.
 */
const THROWN =
  /^(?:Caused by: |Exception in thread "[^"]{0,100}" |Unhandled exception\. |Uncaught )?(?:[\w$]{1,80}(?:\.|::|\\)){0,12}[A-Z]?[\w$]{0,80}(?:Exception|Error)(?::|\n|$)/;
/** PostgreSQL logs this with the severity LOG (`log_lock_waits`). */
const LOCK_WAIT = /\bprocess \d{1,9} still waiting for \w{1,40}Lock on /;
/**
 * nginx and Apache log each request that their own configuration refuses as an error: scanners and
 * probes make such requests.
 */
const REFUSED_BY_RULE = /\baccess forbidden by rule\b|\bclient denied by server configuration\b/;
/**
 * Messages that programs log as information although they report a failure: of BIND and unbound,
 * the kernel of Linux, systemd, chrony and NTP.
 */
const STATED =
  /\bzone \S{1,120} expired\b|\bzone \S{1,120} not loaded\b|\bquery failed \((?:SERVFAIL|REFUSED)\)|\bOut of memory: Killed process\b|\boom-kill:|\bnf_conntrack: (?:nf_conntrack: )?table full\b|\bneighbou?r table overflow\b|\bblocked for more than \d{1,6} seconds\b|\b(?:EXT4-fs|XFS|BTRFS) (?:error|\(\w{1,20}\): (?:Corruption|metadata I\/O error))|\bI\/O error, dev \w|\bcritical medium error\b|\bRemounting filesystem read-only\b|\bNIC Link is Down\b|\bNETDEV WATCHDOG\b|\[Hardware Error\]|\bcpu clock throttled\b|\bexec format error\b|\bsegfault at \d|\bstart request repeated too quickly\b|\bcan't synchroni[sz]e\b|\bsystem clock (?:wrong|was stepped)\b/i;
const WORDS_LOOKED_AT = 2_000;

/**
 * The severity of a log line: the one that its source gives, otherwise the level in the line
 * itself, as programs write it that log text; otherwise by words with no other meaning.
 */
export function severityOf({ severity, body }: Pick<LogRecord, 'severity' | 'body'>): LogSeverity {
  const start = body.slice(0, LOOKED_AT);
  if (LOCK_WAIT.test(start) || REFUSED_BY_RULE.test(start)) return 'warning';
  const named = namedSeverity(severity, body);
  return named === 'other' && STATED.test(start) ? 'warning' : named;
}

function namedSeverity(severity: string, body: string): LogSeverity {
  if (NUMBER.test(severity)) return ofNumber(Number(severity));
  if (severity !== '') return ofWord(severity);
  const head = body.slice(0, LOOKED_AT);
  const priority = SYSLOG.exec(head)?.[1];
  if (priority !== undefined) return ofNumber(Number(priority) % 8);
  const level = levelIn(head);
  if (level !== undefined) return NUMBER.test(level) ? ofNumber(Number(level)) : ofWord(level);
  if (THROWN.test(head) || FAILED_REQUEST.test(head)) return 'error';
  return WORDS.test(body.slice(0, WORDS_LOOKED_AT)) ? 'error' : 'other';
}

/** The level in a line, in the form that the program wrote: a word, a letter or a number. */
const levelIn = (head: string): string | undefined =>
  DOTNET.exec(head)?.[1] ??
  KLOG.exec(head)?.[1] ??
  FIELD.exec(head)?.[1] ??
  LEADING.exec(head)?.[1] ??
  BRACKETED.exec(head)?.[1];

const INFORMATION = /^(?:i$|info|notice|debug|dbug|trace|trce)/i;

/** Whether a program wrote a line for information only. */
export function isInformation(line: string): boolean {
  const level = levelIn(line.slice(0, LOOKED_AT));
  return level !== undefined && (INFORMATION.test(level) || /^[1-3]0$/.test(level));
}

const ofWord = (word: string): LogSeverity =>
  ERROR.test(word) ? 'error' : WARNING.test(word) ? 'warning' : 'other';

const ofNumber = (level: number): LogSeverity =>
  level >= 50 || level <= 3 ? 'error' : level >= 40 || level === 4 ? 'warning' : 'other';
