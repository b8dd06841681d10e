import { IO } from './data-access.js';
import { callsIn, shapeOf, some, type DiffView } from '../read-diff.js';
import { wordsOf } from '../words.js';
import type { Mechanism } from './mechanism.js';

const NIL =
  /[!=]= ?(nil|null|None|undefined)|is (not )?None|\?\.|\bif \(?!\w|Optional|isPresent|\bif not \w/;
const NIL_AGAIN = /[!=]= ?(nil|null|None|undefined)|is (not )?None|\?\.|if \(?!/;
const LOCK = /Lock\(|synchronized|mutex|lock/i;
const LOCK_TAKEN =
  /\b(Lock\(|synchronized|FOR UPDATE|mutex|Mutex|LOCK TABLE|SERIALIZABLE|acquire\(|single.?flight)/;
const LOCK_LINE = /Lock\(|UPDATE |lock/i;
const BACKGROUND = /^go \w|async|enqueue|publish|\.submit\(|setImmediate|create_task/;
const REMOTE = /client|https?\.(get|post|request|do)|rpc|remote|upstream|\.call|fetch|axios/i;
const HEAVY =
  /regexp?\.|new RegExp|re\.(compile|match|search)|MustCompile|Pattern\.compile|bcrypt|scrypt|argon|sha\d+|gzip|zstd|compress|sort\.|\.sort\(|deepcopy|DeepCopy|structuredClone|json\.(Marshal|dumps|Unmarshal)|JSON\.(parse|stringify)/;
/**
 * A repeated group that ends in a repetition, `(a+)+`, or in what may be missing after one,
 * `(a+-?)+`: matching takes exponential time (Weideman et al., 2016).
 */
const BACKTRACKS = /[+*](?:(?:\[[^\]]{1,60}\]|\\?[^()[\]\\])[?*])*\)[+*](?!\+)/;
const REGISTERS =
  /regist|seed|init|bootstrap|mount|bind|subscribe|route|install|handle|provide|load|migrate|warm/i;

/** Guards, locks, loops, waits, and calls that were removed or added. */
export function controlFlow(view: DiffView): Mechanism[] {
  return [guards, positions, locks, loops, calls, protections, work].flatMap((rule) => rule(view));
}

function guards({ removed, added }: DiffView): Mechanism[] {
  const gone = removed.filter((line) => !/\berr\b|\berror\b/.test(line) && NIL.test(line));
  const kept = added.filter((line) => NIL_AGAIN.test(line));
  return gone.length > kept.length ? [{ kind: 'nil-guard-removed', about: gone.join(' ') }] : [];
}

/** `families[3]`: a shorter list has no such item. */
const POSITION = /[\w)\]]\[(\d{1,4})\]/g;

function positions({ removed, added, kinds }: DiffView): Mechanism[] {
  if (kinds.length > 0 && !kinds.includes('code')) return [];
  const positionsIn = (lines: readonly string[]) =>
    lines.flatMap((line) => [...line.matchAll(POSITION)].map(([, position = '']) => position));
  const known = new Set(positionsIn(removed));
  const read = positionsIn(added).filter((position) => !known.has(position));
  if (read.length === 0) return [];
  const about = added.filter((line) => line.search(POSITION) >= 0).join(' ');
  // The messages of Go, Java and Rust for a missing item.
  const literals = read.flatMap((position) => [
    `index out of range [${position}]`,
    `Index ${position} out of bounds`,
    `the index is ${position}`,
  ]);
  return [{ kind: 'fixed-position-read', about, literals, weak: true }];
}

function locks({ removed, added, changed }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  if (some(removed, /\b(Lock\(\)|synchronized|mutex|Mutex|with \w*lock)/) && !some(added, LOCK)) {
    const about = removed.filter((line) => /lock|mutex|synchronized/i.test(line)).join(' ');
    found.push({ kind: 'lock-removed', about });
  }
  if (some(added, LOCK_TAKEN) && !some(removed, /Lock\(|synchronized|FOR UPDATE|mutex/i)) {
    const taken = added.filter((line) => /Lock|synchronized|UPDATE|utex|SERIAL|acquire/.test(line));
    found.push({ kind: 'lock-added', about: taken.join(' ') });
  }
  const many = (lines: readonly string[]) =>
    lines.filter((line) => LOCK_LINE.test(line)).length >= 2;
  if (many(removed) && many(added))
    found.push({ kind: 'ordering-changed', about: changed.join(' ') });
  return found;
}

function loops({ removed, added, changed }: DiffView): Mechanism[] {
  const bounded = some(removed, /for .*[<>]=? ?\w+|range\(|maxAttempts|max_attempts|retries/i);
  const endless = some(added, /^for \{|while ?\(?true|while True|for ?\(;;\)|loop \{/);
  return bounded && endless ? [{ kind: 'loop-unbounded', about: changed.join(' ') }] : [];
}

function calls({ removed, added, inLoop, changed }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  const kept = new Set(callsIn(added));
  const gone = [...new Set(callsIn(removed))].filter((name) => !kept.has(name));
  const lines = added.map((line) => new Set(wordsOf(line)));
  const elsewhere = (name: string) => {
    const words = wordsOf(name);
    return lines.some((line) => words.every((word) => line.has(word)));
  };
  const unregistered = gone.filter(
    (name) => REGISTERS.test(name) && removed.length - added.length > -2 && !elsewhere(name),
  );
  if (unregistered.length > 0 && added.length <= removed.length + 1)
    found.push({
      kind: 'registration-removed',
      about: unregistered.join(' '),
      literals: unregistered,
    });
  else if (gone.length > 0 && added.length < removed.length)
    found.push({
      kind: 'call-removed',
      about: gone.join(' '),
      literals: gone,
      weak: added.length > 0,
    });

  const foreground = (line: string) =>
    line.replace(/^(go|await|asyncio\.create_task\()\s*/, '').slice(0, 20);
  const starts = new Set(removed.map(foreground));
  if (some(removed, BACKGROUND) && added.some((line) => starts.has(line.slice(0, 20))))
    found.push({ kind: 'sync-call-added', about: changed.join(' ') });
  else if (inLoop.length === 0 && newRemoteCall(removed, added))
    found.push({ kind: 'sync-call-added', about: added.filter((line) => IO.test(line)).join(' ') });
  return found;
}

function newRemoteCall(removed: readonly string[], added: readonly string[]): boolean {
  const inBackground = /go func|async|enqueue|publish|goroutine|Store\(/;
  const called = added.filter((line) => IO.test(line));
  return (
    !some(removed, IO) &&
    !some(added, inBackground) &&
    called.some((line) => REMOTE.test(line) && !/ResponseWriter|func \w+\(w /.test(line))
  );
}

/** The words of a protection, the words that keep it if it is moved, and the effect of its loss. */
const PROTECTIONS: readonly [RegExp, RegExp, Mechanism['kind']][] = [
  [
    /timeout|WithTimeout|deadline|WithDeadline|AbortSignal/i,
    /timeout|deadline|abort/i,
    'timeout-removed',
  ],
  [
    /fallback|circuit|breaker|hystrix|bulkhead|catch|except|recover\(/i,
    /fallback|circuit|breaker|catch|except|recover\(/i,
    'fallback-removed',
  ],
  [
    /semaphore|p-?limit\(|SetLimit\(|rate\.NewLimiter|RateLimiter|bulkhead|throttle/i,
    /semaphore|limit|bulkhead|throttle|pool/i,
    'concurrency-raised',
  ],
  // A map had the function of a cache.
  [/cache|memo/i, /cache|memo|Map\b|\bmap\[|\bdict\(|[=:] ?\{\}/i, 'cache-removed'],
];

function protections({ removed, added, changed, context, files }: DiffView): Mechanism[] {
  const found = PROTECTIONS.flatMap(([there, kept, kind]): Mechanism[] =>
    some(removed, there) && !some(added, kept)
      ? [{ kind, about: removed.filter((line) => there.test(line)).join(' ') }]
      : [],
  );
  const waits = /sleep|backoff|jitter|BaseDelay|wait/i;
  const repeats = /retry|attempt|backoff|loop|poll|for /i;
  if (some(removed, waits) && !some(added, /sleep|backoff|jitter|BaseDelay/i))
    if (repeats.test([...changed, ...context, ...files].join(' ')))
      found.push({ kind: 'backoff-removed', about: removed.join(' ') });
  // An expiry without a random part: entries that were stored together expire together.
  const expiry = /ttl|expir|max_?age|\bSetex\b/i;
  const spread = (line: string) => expiry.test(line) && RANDOM.test(line);
  if (removed.some(spread) && !some(added, RANDOM))
    found.push({ kind: 'jitter-removed', about: removed.filter(spread).join(' ') });
  return found;
}

const RANDOM = /\brand\w*\b|random|jitter|ThreadLocalRandom/i;

const wordSet = (line: string): string => [...new Set(wordsOf(line))].toSorted().join();

/** The dash before an item of a YAML list is no operator. */
const LIST_ITEM = /^- /;

function work({ removed, added, changed, inLoop, kinds }: DiffView): Mechanism[] {
  const found: Mechanism[] = [];
  const costly = some(added, /regex|RegExp|MustCompile|bcrypt|cost|level|deep/i);
  const backtracks = some(added, BACKTRACKS) && !some(removed, BACKTRACKS);
  if (backtracks || (some(added, HEAVY) && (inLoop.length > 0 || costly)))
    found.push({ kind: 'cpu-heavier', about: added.join(' ') });
  if (
    some(
      changed,
      /\b(UTC|utc)\b|\.Local\(|timezone|tzinfo|pytz|ParseInLocation|localtime|LocalDateTime|utcnow|ZoneId|strptime|strftime/,
    )
  )
    found.push({ kind: 'time-changed', about: changed.join(' ') });
  const sameWords = (line: string, other: string) =>
    shapeOf(line) !== shapeOf(other) && wordSet(line) === wordSet(other);
  const isCode = kinds.length === 0 || kinds.includes('code');
  if (isCode && removed.length > 0 && removed.length === added.length)
    if (
      removed.some(
        (line, i) =>
          /[-+*/%<>]=?/.test(line.replace(LIST_ITEM, '')) && sameWords(line, added[i] ?? ''),
      )
    )
      found.push({ kind: 'arithmetic', about: changed.join(' ') });
  return found;
}
