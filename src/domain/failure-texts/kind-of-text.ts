import type { FailureKind } from '../diagnosis/failure-kind.js';
import { OUTPUT_RULES, type OutputRule, PROGRAM_RULES } from './output-rules.js';

interface TextRule {
  kind: FailureKind;
  tells: number;
  pattern: RegExp;
}

/**
 * The failure that a log line states, in addition to the rules for every output of a system.
 * `tells`: how specific the words are to this failure, 0 to 1. The words are those of Java, Python,
 * Go and Node.js runtimes, of their HTTP and database clients, and of proxies.
 * @internal Exported for test/quality.
 */
// A table: one line for each row.
// prettier-ignore
export const LINE_RULES: readonly TextRule[] = [
  { kind: 'out-of-memory', tells: 0.95, pattern: /OutOfMemory|out of memory|heap out of|Java heap space|MemoryError\b|[cC]annot allocate memory|Allowed memory size of .{1,40} exhausted|\bOOM/ },
  { kind: 'memory', tells: 0.8, pattern: /circuit_?breaking_?exception.{0,80}too large|\bgc\b.{0,60}\boverhead\b/i },
  { kind: 'infrastructure', tells: 0.9, pattern: /clock.{0,20}(skew|wrong|drift|ahead|behind)|\b(iat|nbf|timestamp|token|event)\b.{0,40}in the future|used before issued/i },
  // The disk or its file system fails: EIO of Linux, SQLITE_IOERR. Spring calls a failed request
  // "I/O error on GET request", with the reason at the end.
  { kind: 'infrastructure', tells: 0.9, pattern: /(disk|input\/output|\bi\/o) error\b(?!s?[:= ]+0| on (GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\b)|\bEIO\b|remounting filesystem read-only/i },
  // Of the kernel of Linux, of its drivers and of ipmitool.
  { kind: 'infrastructure', tells: 0.95, pattern: /\[Hardware Error\]|\bMachine check\b|\bcpu clock throttled|\bNIC Link is Down\b|\bNETDEV WATCHDOG\b|\bcritical medium error\b|\brx_crc_errors\b|\bXid \(PCI|uncorrectable (ECC|memory|error)/i },
  { kind: 'capacity', tells: 0.95, pattern: /\bnf_conntrack: .{0,30}table full|\bneighbou?r table overflow/i },
  // A name server that has no valid copy of its zone: BIND.
  { kind: 'dns', tells: 0.95, pattern: /\bzone \S{1,120} (expired|not loaded)\b|\bquery failed \(SERVFAIL\)/i },
  { kind: 'queue-partition', tells: 0.95, pattern: /inconsistent_database|partitioned_network|split.?brain|network partition/i },
  { kind: 'network-policy', tells: 0.95, pattern: /policy.denied|denied by (network )?policy|NetworkPolicy.{0,40}(drop|den)/i },
  { kind: 'disk-full', tells: 0.95, pattern: /flood.?stage|disk watermark|read-only \/ allow delete|disk quota exceeded|EDQUOT|database or disk is full|unable to extend .{0,80}tablespace|could not allocate space for object|the table '.{1,80}' is full/i },
  { kind: 'certificate-expired', tells: 0.9, pattern: /PKIX .{0,120}validity check failed|Certificate(Expired|NotYetValid)Exception|CERT_HAS_EXPIRED|certificate[_ ]expired|expired certificate/i },
  { kind: 'lock', tells: 0.9, pattern: /deadlock|lock wait timeout|could not obtain lock|lock timeout|waiting for .{0,40}\block\b|waits? for \w{0,30}Lock|still waiting for \w{0,30}Lock|serializ\w{1,10} failure/i },
  { kind: 'auth', tells: 0.9, pattern: /ACCESS_REFUSED|login (was )?refused|AuthenticationFailure|SignatureDoesNotMatch|InvalidAccessKeyId|InvalidClientTokenId|UnrecognizedClientException|ExpiredToken|WRONGPASS|NOAUTH|NOPERM|(password|SASL|LDAP) authentication failed|invalid_client|invalid_grant|SaslAuthentication|invalid credentials/i },
  { kind: 'connection-pool-exhausted', tells: 0.9, pattern: /connection is not available|pool\w{0,9} (is )?(exhausted|full|empty|timed? ?out)|QueuePool limit|too many (clients|connections)|no (free|available|idle) connection|remaining connection slots|acquir\w{0,6} (a )?connection|obtain a connection from the pool|unable to get managed connection|timeout waiting for (an )?idle object/i },
  // Threads or processes that serve requests, all busy: of Java, .NET, Apache, PHP-FPM, nginx,
  // uWSGI and Puma.
  { kind: 'capacity', tells: 0.9, pattern: /thread ?pool.{0,80}\b(full|exhausted|starv\w{1,7}|reject\w{0,6})|RejectedExecution|reached (MaxRequestWorkers|pm\.max_children|max_children)|worker_connections are not enough|listen queue.{0,60}\bfull|no (free|available|idle) (worker|thread)s?\b/i },
  // Each closed connection keeps its local port for a minute or more (TIME_WAIT).
  { kind: 'capacity', tells: 0.95, pattern: /EADDRNOTAVAIL|cannot assign requested address/i },
  { kind: 'capacity', tells: 0.85, pattern: /too many open files|EMFILE|ENFILE|unable to create (new )?native thread/i },
  { kind: 'schema-mismatch', tells: 0.85, pattern: /MismatchedInput|UnrecognizedProperty|Undefined(Column|Table)|unknown (column|field)|(column|relation|table) .{1,80} does not exist|no such (table|column)|missing required (creator )?(property|field)|deseriali[sz]|unmarshal|SerializationException|schema (mismatch|incompatible)/i },
  { kind: 'config', tells: 0.9, pattern: /(env(ironment)? var(iable)?|setting|property|config\w{0,12}) .{0,60}(is )?(not set|unset|missing|required|undefined|empty)|(required|missing) (env(ironment)?|config\w{0,12}|setting)|Could not resolve placeholder|invalid config/i },
  { kind: 'cache', tells: 0.7, pattern: /cache.{0,20}(miss|stampede|evict|cold)|stampede/i },
  { kind: 'retry-storm', tells: 0.7, pattern: /retry storm|retrying.{0,40}\battempt\W{0,3}([5-9]|\d\d)/i },
  { kind: 'bad-data', tells: 0.8, pattern: /poison|corrupt(ed)? (record|message|row|data|block|segment)|malformed (record|message|row)/i },
  { kind: 'memory-leak', tells: 0.7, pattern: /memory leak|heap (is )?growing|leak(ed)? detected/i },
  { kind: 'network-delay', tells: 0.8, pattern: /packet loss|retransmi/i },
  { kind: 'wrong-result', tells: 0.65, pattern: /checksum|incorrect|inconsisten|(total|amount|balance|result)s? (is|are|was|were) (wrong|negative)|(total|amount|balance|price|quantity)\W{1,3}(\S{1,20} )?(is )?(below|less than) zero|negative (total|amount|balance|price|quantity)|does not match/i },
  { kind: 'cpu-saturated', tells: 0.6, pattern: /event.?loop (is )?(blocked|lag|delay)|cpu (is )?(saturated|busy)|busy loop/i },
  // A connection that is not made in time: the far end is not reached. For a request that is not
  // answered in time, it is reached.
  { kind: 'unreachable', tells: 0.92, pattern: /connect[ _-]?time(d )?out|(failed|unable) to (open (a )?(TCP )?connection|connect)|Net::OpenTimeout|\bConnect(ion)?(Failed|Error)\b|(could not|cannot) connect|\bis now DOWN\b/i },
  { kind: 'timeout', tells: 0.7, pattern: /gateway time-?out|answer(s|ed) 504\b/i },
  { kind: 'timeout', tells: 0.5, pattern: /\btime[d]?[ -]?out\b|deadline/i },
  { kind: 'load', tells: 0.4, pattern: /overload|shedding|load shed|too busy/i },
  { kind: 'regression', tells: 0.4, pattern: /no such (route|method|handler)|unimplemented|not registered|unknown (route|method|handler)/i },
  { kind: 'crash-loop', tells: 0.75, pattern: /CrashLoopBackOff|failed to start|(start|boot)(-?up| ?strap)? fail|cannot start|Application run failed|BeanCreationException/i },
  // Ends of a process: signals, panics of Go and Rust that are not recovered, the exit messages of
  // Node.js and .NET.
  { kind: 'crash', tells: 0.75, pattern: /(?<!recovered.{0,40})\bpanic: |thread '.{0,80}' panicked|(?<!PHP )fatal error: |segfault|segmentation fault|SIGSEGV|SIGABRT|core dumped|terminate called after throwing|UnhandledPromiseRejection(?!Warning)|triggerUncaughtException|uncaughtException|terminating (due to|with) uncaught|Unhandled exception\. |Process is terminated due to/i },
  // Frameworks catch what the code for a request throws: the request fails, and the process
  // continues.
  { kind: 'exception', tells: 0.7, pattern: /NullPointerException|NullReferenceException|IndexOutOfBoundsException|ClassCastException|InvalidCastException|StackOverflowError|\b(Key|Attribute|Index|Value|ZeroDivision|Type|Reference|Range|NoMethod|Name)Error\b|nil pointer|is not a function|cannot read propert|index out of (range|bounds)|undefined method|PHP Fatal error|http: panic serving|panic recovered|recovered.{0,40}\bpanic\b/i },
  { kind: 'exception', tells: 0.3, pattern: /exception|traceback|unhandled/i },
];
const asTextRules = (rules: readonly OutputRule[]): TextRule[] =>
  rules.flatMap(({ kind, weight, pattern }) =>
    kind === undefined ? [] : [{ kind, tells: weight / 10, pattern }],
  );
const RULES: readonly TextRule[] = [...LINE_RULES, ...asTextRules(OUTPUT_RULES)];
const LOOKED_AT = 2_000;

/** The failure that a text names, how specific the words are, and their position. */
interface NamedFailure {
  kind: FailureKind;
  tells: number;
  start: number;
  end: number;
}

/** After this, the reason of "cannot connect" follows. */
const TELLS_WHY = 0.7;
/** What a request encounters, which is not the reason for it. */
const NO_REASON: ReadonlySet<FailureKind> = new Set(['unreachable', 'timeout', 'exception']);

/**
 * The failure that a text names best, and how specific the words are, 0 to 1. For "cannot connect
 * to the database: too many clients", the reason.
 */
export function kindOfText(text: string): { kind: FailureKind; tells: number } | undefined {
  const looked = text.slice(0, LOOKED_AT);
  const best = bestIn(looked);
  if (best === undefined) return undefined;
  const why = best.kind === 'unreachable' ? bestIn(looked.slice(best.end)) : undefined;
  const isReason = why !== undefined && why.tells >= TELLS_WHY && !NO_REASON.has(why.kind);
  const { kind, tells } = isReason ? why : best;
  return { kind, tells };
}

function bestIn(text: string): NamedFailure | undefined {
  const found = RULES.flatMap(({ pattern, ...rule }): NamedFailure[] => {
    const match = pattern.exec(text);
    return match === null ? [] : [namedBy(rule, match)];
  });
  return found.toSorted((a, b) => b.tells - a.tells)[0];
}

const namedBy = (
  rule: Pick<NamedFailure, 'kind' | 'tells'>,
  { index, 0: words }: RegExpExecArray,
): NamedFailure => ({ ...rule, start: index, end: index + words.length });

/**
 * The statements of running programs about themselves or their dependencies, and their position in
 * a text.
 */
const STATED: ReadonlySet<FailureKind> = new Set([
  'auth',
  'capacity',
  'certificate-expired',
  'connection-pool-exhausted',
  'disk-full',
  'dns',
  'lock',
  'out-of-memory',
  'rate-limited',
  'schema-mismatch',
  'timeout',
  'unreachable',
  'volume',
]);
const STATEMENTS = [...LINE_RULES, ...asTextRules(PROGRAM_RULES)]
  .filter(({ kind, tells }) => STATED.has(kind) && tells >= TELLS_WHY)
  .map(({ pattern, ...rule }) => ({ ...rule, pattern: new RegExp(pattern, `g${pattern.flags}`) }));

/** "no deadlock detected" */
const DENIED_BEFORE = /\b(?:no|not|never|without|0) (?:\w{1,20} )?$/i;
/** "no such host was ever …", `"rateLimited": false`, `disk full: no`, "deadlock check: ok". */
const DENIED_AFTER =
  /^(?:[^.,;:\n]{0,20}\bn?ever\b|[\w ]{0,40}" ?:(?! ?"?true\b)|[^.,;:=\n]{0,40}[:=] ?"?(?:false|no|0|none|null|ok|passed|off|disabled)\b)/i;

/**
 * The kind of failure that a running program states in its answer. "not rate limited" states none,
 * and a text that states several does not show which of them made it fail.
 */
export function statedKind(text: string): FailureKind | undefined {
  const looked = text.slice(0, LOOKED_AT);
  const isStated = ({ start, end }: NamedFailure) =>
    !DENIED_BEFORE.test(looked.slice(Math.max(0, start - 40), start)) &&
    !DENIED_AFTER.test(looked.slice(end));
  const named = STATEMENTS.flatMap(({ pattern, ...rule }) =>
    Array.from(looked.matchAll(pattern), (match) => namedBy(rule, match)),
  ).filter(isStated);
  const kinds = [...new Set(named.toSorted((a, b) => b.tells - a.tells).map(({ kind }) => kind))];
  const reasons = kinds.filter((kind) => !NO_REASON.has(kind));
  return reasons.length > 1 ? undefined : (reasons[0] ?? kinds[0]);
}
