import type { FailureKind } from './failure-kind.js';
import type { Symptom } from './finding.js';
import { ownWords, quotedWords } from './wording.js';
import type { Issue } from './tool-result.js';

/** Code units of an issue's text that are looked at: it quotes what the target answered. */
const LOOKED_AT = 600;

/**
 * What the words of an issue say about its kind; the first pattern that matches counts. The words
 * are those of our tools and the error texts of the programs that they quote (PostgreSQL, MySQL,
 * Redis, nginx, OpenSSL, Linux). All patterns are linear.
 */
const PATTERNS: readonly [RegExp, FailureKind][] = [
  [
    /certificate\b.{0,200}\b(?:expired|ends in|ended|not (?:yet )?valid)|expired certificate/,
    'certificate-expired',
  ],
  [
    /does not resolve|no such host|cannot be resolved|name server|getaddrinfo|enotfound|eai_again|nxdomain|servfail/,
    'dns',
  ],
  [
    /restarted again|crash.?loop|keeps restarting|started \d+ times|comes back and goes away/,
    'crash-loop',
  ],
  [
    /remaining connection slots|too many (?:clients|connections)|max(?:imum)? (?:number of )?(?:clients|connections)|maxclients|client connections in use|pool (?:is |was )?(?:exhausted|timed? ?out)|connection pool/,
    'connection-pool-exhausted',
  ],
  [/(?:disk i\/o|input\/output) error|\beio\b/, 'infrastructure'],
  [/no space left|file ?system|\bdisk\b|\/\S* \d+ % used|inodes/, 'disk-full'],
  [/out of memory|\boom\b|maxmemory|memory (?:is )?full|oom.?kill/, 'out-of-memory'],
  [/append-only file|snapshot|read-only file/, 'volume'],
  [/\b429\b|too many requests|rate.?limit|quota exceeded|throttl/, 'rate-limited'],
  [
    /\b40[13]\b|unauthori[sz]ed|forbidden(?!: (?:exceeded|failed) quota|: violates podsecurity)|noauth|wrongpass|noperm|authentication (?:failed|required)|password authentication|access denied|permission denied|may not be looked into/,
    'auth',
  ],
  [/deadlock|lock wait|lock timeout/, 'lock'],
  [/consumer lag|queue (?:depth|length|size)|backlog/, 'queue-lag'],
  [/unknown column|relation .{1,80} does not exist|no such table|schema/, 'schema-mismatch'],
  [/without the expected text|not the expected/, 'wrong-result'],
  [/\bload of\b|cpu/, 'cpu-saturated'],
  [/memory/, 'memory'],
  [/gateway time-?out|\b504\b|connected, but no/, 'timeout'],
  [/replication/, 'infrastructure'],
  [/no such process|is not running|no process|process .{0,80}(?:ended|gone)/, 'crash'],
];

/**
 * What a target must say of itself or of another to refine the kind: that something has failed, and
 * not only a word or a number.
 */
const STATEMENTS: readonly [RegExp, FailureKind][] = [
  [/certificate (?:has |is )?expired|expired certificate/, 'certificate-expired'],
  [/no such host|cannot be resolved|getaddrinfo|enotfound|eai_again|nxdomain|servfail/, 'dns'],
  [
    /remaining connection slots|too many (?:clients|connections)|max(?:imum)? (?:number of )?(?:clients|connections) (?:is |was )?(?:reached|exceeded)|pool (?:is |was )?(?:exhausted|timed? ?out)/,
    'connection-pool-exhausted',
  ],
  [/no space left|disk (?:is )?full/, 'disk-full'],
  [/out of memory|maxmemory'|memory (?:is )?full|oom.?killed/, 'out-of-memory'],
  [/read-only file/, 'volume'],
  [/too many requests|rate.?limit(?:ed| exceeded| reached)|quota exceeded/, 'rate-limited'],
  [
    /unauthori[sz]ed|forbidden(?!: (?:exceeded|failed) quota|: violates podsecurity)|noauth|wrongpass|noperm|authentication (?:failed|required)|access denied|permission denied|answer(?:s|ed) 40[13]\b/,
    'auth',
  ],
  [/deadlock (?:detected|found)|lock wait timeout|lock timeout/, 'lock'],
  [/unknown column|relation .{1,80} does not exist|no such table/, 'schema-mismatch'],
  [/gateway time-?out|answer(?:s|ed) 504\b/, 'timeout'],
];
const DENIED_BEFORE = /\b(?:no|not|never|without|0) (?:\w{1,20} )?$/;
const DENIED_AFTER = /^[^.,;:\n]{0,20}\bn?ever\b/;

/**
 * The kind that a target states; "not rate limited" states none, and a text that states several
 * does not say which of them made it fail.
 */
function statedKind(said: string): FailureKind | undefined {
  const isStated = (pattern: RegExp) => {
    const found = pattern.exec(said);
    if (!found) return false;
    const { index, 0: words } = found;
    return (
      !DENIED_BEFORE.test(said.slice(Math.max(0, index - 40), index)) &&
      !DENIED_AFTER.test(said.slice(index + words.length))
    );
  };
  const [kind, ...others] = STATEMENTS.filter(([pattern]) => isStated(pattern));
  return others.length === 0 ? kind?.[1] : undefined;
}

/**
 * A connection that ends while it is answered; with one that is refused meanwhile, its process ends
 * and is started again.
 */
const CLOSED =
  /connection (?:was )?(?:closed|reset)[a-z ]* before the answer|connection reset|hung up/;
const REFUSED = /connection refused/;

/** The kind of a failure of which no more is known than its symptom. */
export const KIND_BY_SYMPTOM: Readonly<Record<Symptom, FailureKind>> = {
  unreachable: 'unreachable',
  nameless: 'dns',
  erroring: 'exception',
  slow: 'latency',
  saturated: 'capacity',
  invalid: 'config',
  advisory: 'unknown',
};

/** A duration: `403 ms` is no status. */
const DURATIONS = /(?<![\w.])\d{1,9}(?:\.\d{1,9})? m?s\b/g;

const lookedAt = (text: string): string =>
  text.slice(0, LOOKED_AT).toLowerCase().replace(DURATIONS, 'some time');

/**
 * Title and detail in the words of the tool, or of the target, each on a line of its own: what one
 * quotes ends with it.
 */
const wordsIn = (
  { title, detail }: Pick<Issue, 'title' | 'detail'>,
  words: (text: string) => string,
): string => [title, detail].map((text) => words(lookedAt(text))).join('\n');

type IssueText = Pick<Issue, 'symptom' | 'title' | 'detail' | 'kind'>;

/** The kind of failure of an issue: as its tool says, else by its words, else by its symptom. */
export const issueKind = (issue: IssueText): FailureKind => kindOf(issue).kind;

/** @returns with the kind whether only the words of the target give it */
export function kindOf(issue: IssueText): { kind: FailureKind; stated: boolean } {
  const measured = (kind: FailureKind) => ({ kind, stated: false });
  if (issue.kind !== undefined) return measured(issue.kind);
  const own = wordsIn(issue, ownWords);
  if (CLOSED.test(own)) return measured(REFUSED.test(own) ? 'crash-loop' : 'exception');
  // The title is the tool's own finding; a text of the target must not choose the steps that a
  // report names.
  const kindIn = (words: string) => PATTERNS.find(([pattern]) => pattern.test(words))?.[1];
  const byTitle = kindIn(ownWords(lookedAt(issue.title)));
  if (byTitle !== undefined || issue.symptom === 'slow')
    return measured(byTitle ?? KIND_BY_SYMPTOM[issue.symptom]);
  const byTool = kindIn(own) ?? KIND_BY_SYMPTOM[issue.symptom];
  const kind = statedKind(wordsIn(issue, quotedWords)) ?? byTool;
  return { kind, stated: kind !== byTool };
}

/**
 * Kinds that a node which answers states of what it uses, by the words that state it: its own name
 * was found, its own certificate is for the tools to read, one that refuses a credential answers so
 * itself, and only a Redis refuses a command for want of memory.
 */
const OF_ANOTHER: Partial<Record<FailureKind, RegExp>> = {
  'certificate-expired': /./,
  dns: /./,
  'rate-limited': /./,
  auth: /./,
  'out-of-memory': /oom command not allowed|maxmemory'/,
};
/**
 * Symptoms that a node shows where it passes on what another answered; a refused credential
 * (`invalid`) is what it says of itself.
 */
const PASSED_ON: readonly Symptom[] = ['erroring', 'advisory'];
const HOST = '[a-z0-9][a-z0-9-]{0,62}(?:\\.[a-z0-9][a-z0-9-]{0,62}){0,10}';
const NAMED = new RegExp(`(?:enotfound|eai_again|lookup|host name) "?(${HOST})(?![\\w.-])`, 'g');
const WITH_PORT = new RegExp(`(?<![\\w.@:/-])(${HOST}):(\\d{1,5})(?!\\w|[.:]\\d)`, 'g');
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;
/** `lookup db on 10.0.0.2:53`: which server was asked. */
const NAME_SERVER = / on [^\s]{1,80}:53\b/g;
/** `app.js:120` is a line of a program, `status:429` no host. */
const NO_HOST = /\.(?:[cm]?[jt]s|py|rb|go|php|java)$|^[\d.]*$/;

/**
 * Where a failure is that a node only reports, in the words that it answers: an empty object if
 * they name no host, or several; undefined for a failure of its own.
 */
export function reportedPlace(
  finding: Pick<Issue, 'symptom' | 'title' | 'detail'> & { kind?: FailureKind | undefined },
): { host?: string; port?: string } | undefined {
  const { kind, symptom, title, detail } = finding;
  const passedOn = kind && OF_ANOTHER[kind];
  if (passedOn === undefined || !PASSED_ON.includes(symptom)) return undefined;
  const said = wordsIn(finding, quotedWords).replaceAll(NAME_SERVER, '');
  const own = { symptom, title: ownWords(title), detail: ownWords(detail) };
  if (statedKind(said) !== kind || !passedOn.test(said) || issueKind(own) === kind)
    return undefined;
  const places = new Map<string, { host: string; port?: string }>();
  for (const [, host = '', port = ''] of said.matchAll(WITH_PORT)) {
    const isHost =
      IPV4.test(host) || (!NO_HOST.test(host) && (host.includes('.') || port.length > 3));
    if (isHost) places.set(host, { host, port });
  }
  if (kind === 'dns')
    for (const [, host = ''] of said.matchAll(NAMED))
      if (!places.has(host)) places.set(host, { host });
  return places.size === 1 ? [...places.values()][0] : {};
}
