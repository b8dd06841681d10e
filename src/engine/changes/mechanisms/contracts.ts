import { isOnly, some, stringsIn, type DiffView } from '../read-diff.js';
import { keys } from './keys.js';
import type { Mechanism } from './mechanism.js';

const ON_THE_WIRE =
  /json:|yaml:|xml:|protobuf|db:|@JsonProperty|alias|field|column|header|topic|queue|key|env|getenv/i;
/** Maximum pairs of lines that are compared: only the beginning of a large diff. */
const MOST_PAIRED = 300;
const unquoted = (line: string): string => line.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '');

/** A word or a sentence that people read: `Hello`, `see the order`. */
const SHOWN = /^[A-Z][a-z]+$|\s/;

/** The meaning of a renamed text, from the line around it; the first row that matches counts. */
const MEANINGS: readonly [
  fits: (line: string, text: string) => boolean,
  kind: Mechanism['kind'],
][] = [
  // A field of a message, whatever its content.
  [
    (line) => /\b(json|bson|xml|avro|protobuf|msgpack):|@JsonProperty|@SerializedName/.test(line),
    'contract-renamed',
  ],
  [(line) => /getenv|environ|process\.env|Env\(/i.test(line), 'env-changed'],
  [
    (line, text) =>
      /^https?:|\.(com|net|io|internal|local|svc)\b|:\d{2,5}$/.test(text) ||
      /host|url|endpoint|addr|broker|bucket|topic|queue/i.test(line),
    'address-changed',
  ],
  [
    (line) => /scope|role|audience|issuer|policy|permission|arn:|secret|token/i.test(line),
    'auth-changed',
  ],
  [(line) => /key|partition|shard|hash/i.test(line) && !line.includes('json:'), 'key-changed'],
  [
    (line, text) =>
      /json:|required|field|column/i.test(line) ||
      (!SHOWN.test(text) &&
        !/\b(msg|message|error|Err|title|label|description|text)\w*\s*[:=(]|class(Name)?=|ErrNotFound|^[\s"']*[a-z][a-z ]+["',\s]*$/i.test(
          line,
        )),
    'contract-renamed',
  ],
];

/** Names that two sides agree on: fields, addresses, keys, environment, access. */
export function contracts(view: DiffView): Mechanism[] {
  // The versions of dependencies are handled elsewhere.
  if (isOnly(view, 'deps')) return [];
  const renamed = renamedTexts(view);
  const found = renamed.flatMap(({ line, from, to }): Mechanism[] => {
    const kind = MEANINGS.find(([fits]) => fits(line, from))?.[1];
    const named = kind === 'address-changed' || kind === 'contract-renamed';
    return kind === undefined
      ? []
      : [{ kind, about: named ? `${line} ${from} ${to}` : line, literals: [from, to] }];
  });
  if (renamed.length === 0) found.push(...removedFields(view));
  return [
    ...found,
    ...addresses(view, found),
    ...environment(view, found),
    ...retyped(view),
    ...writtenAs(view),
    ...keys(view, found),
    ...checks(view),
  ];
}

/**
 * `payments_url: http://payments:8080`, `BROKER=kafka:9092`, `db.host=orders-db`: as configuration
 * writes it, without quotes.
 */
const ADDRESS =
  /^(?:- )?([\w.-]{1,80})\s*[:=]\s*(\w{1,20}:\/\/[^\s"']{1,200}|[\w.-]{1,120}:\d{2,5}|(?<=(?:host|url|addr|address|endpoint|server)s?\s*[:=]\s*)[\w.-]{1,120})$/i;

/** Settings whose address has changed. */
function addresses({ removed, added }: DiffView, found: readonly Mechanism[]): Mechanism[] {
  if (found.some(({ kind }) => kind === 'address-changed')) return [];
  const now = new Map(added.flatMap((line) => addressIn(line)));
  return removed
    .flatMap((line) => addressIn(line))
    .flatMap(([name, from]): Mechanism[] => {
      const to = now.get(name);
      return to === undefined || to === from
        ? []
        : [{ kind: 'address-changed', about: `${name} ${from} ${to}`, literals: [from, to] }];
    });
}

function addressIn(line: string): [string, string][] {
  const [, name, value] = ADDRESS.exec(line.trim()) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value]];
}

/** Pairs of lines that differ in one quoted text. */
function renamedTexts({ removed, added }: DiffView): { line: string; from: string; to: string }[] {
  const quoted = (lines: readonly string[]) =>
    lines.slice(0, MOST_PAIRED).flatMap((line) => {
      const texts = stringsIn([line]);
      return texts.length === 0 ? [] : [{ line, texts, frame: unquoted(line) }];
    });
  const now = quoted(added);
  const kept = new Set(stringsIn(added));
  return quoted(removed).flatMap(({ line, texts, frame }) => {
    const named = ON_THE_WIRE.test(line);
    return now.flatMap((other) => {
      if (other.texts.length !== texts.length || (other.frame !== frame && !named)) return [];
      const changed = texts.flatMap((text, i) => (text === other.texts[i] ? [] : [i]));
      const [only] = changed;
      if (only === undefined || changed.length > 1) return [];
      // A line that now occurs elsewhere was moved.
      if (kept.has(texts[only] ?? '')) return [];
      return [{ line, from: texts[only] ?? '', to: other.texts[only] ?? '' }];
    });
  });
}

/** Names of environment variables as configuration sets them, and as code reads them. */
const IS_SET =
  /^(?:- )?(?:(?:export|ENV) |(?:name|key|secretKey): *["']?(?=[A-Z]))?["']?([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)["']?\s*(?:[:=]|$)/;
const IS_ASKED =
  /(?:getenv|lookupenv|environ\.get|environ|process\.env|System\.getenv|env::var|ENV)\W{1,3}([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)["'\])]{0,3}(?!.*(\?\?|\|\||, ?["'\w]|orElse|unwrap_or|default))/i;

/** A variable that configuration no longer sets, or that code reads although it was never set. */
function environment(
  { removed, added, context, kinds }: DiffView,
  found: readonly Mechanism[],
): Mechanism[] {
  if (found.some(({ kind }) => kind === 'env-changed')) return [];
  const isCode = kinds.includes('code');
  const pattern = isCode ? IS_ASKED : IS_SET;
  const namesIn = (lines: readonly string[]) =>
    new Set(lines.flatMap((line) => pattern.exec(line)?.[1] ?? []));
  const [before, after] = [namesIn([...removed, ...context]), namesIn([...added, ...context])];
  const [from, to] = isCode ? [after, before] : [before, after];
  const names = [...from].filter((name) => !to.has(name));
  return names.length === 0
    ? []
    : [{ kind: 'env-changed', about: names.join(' '), literals: names }];
}

/** Types of a field, as languages and schemas write them. */
const TYPE =
  /(?<![\w.])(u?int(8|16|32|64)?|long|float(32|64)?|double|bool(ean)?|str(ing)?|number|decimal|integer|BigDecimal|Instant|Date|LocalDate(Time)?|timestamp|bytes|varchar|bigint|uuid|text)(?![\w.])/gi;
const OF_WIRE =
  /\.(proto|avsc|graphql|thrift)$|schema|dto|openapi|swagger|event|message|contract|api/i;

/** A field of a message with another type, or with another number. */
function retyped({ removed, added, files }: DiffView): Mechanism[] {
  if (!files.some((path) => OF_WIRE.test(path))) return [];
  const frameOf = (line: string) => line.replace(TYPE, '\0').replace(/= \d+;/, '= 0;');
  const isField = (line: string) => line.search(TYPE) >= 0 && !line.includes('(');
  const changed = removed
    .slice(0, MOST_PAIRED)
    .filter(
      (line) =>
        isField(line) && added.some((other) => other !== line && frameOf(other) === frameOf(line)),
    );
  return changed.length === 0 ? [] : [{ kind: 'contract-renamed', about: changed.join(' ') }];
}

/** `writeNumber("amount", …)`, `put_string('id', …)`: a field, and the type it is written as. */
const WRITES_AS =
  /\b(\w*?(?:write|put|set|add|append|encode|get|read)_?)(String|Str|Text|Number|Int(?:eger)?(?:32|64)?|Long|Float|Double|Decimal|Bool(?:ean)?|Bytes|Date(?:Time)?|Instant|Timestamp)(?:Value|Field)?\(\s*["'`]([\w.-]{1,80})["'`]/gi;

/** A field of a message that is written, or read, as another type. */
function writtenAs({ removed, added }: DiffView): Mechanism[] {
  const fieldsIn = (lines: readonly string[]) =>
    lines.flatMap((line) =>
      [...line.matchAll(WRITES_AS)].map(([, how = '', type = '', field = '']) => ({
        key: `${how.toLowerCase()} ${field}`,
        type: type.toLowerCase(),
        field,
      })),
    );
  const now = new Map(fieldsIn(added).map(({ key, type }) => [key, type]));
  const fields = fieldsIn(removed)
    .filter(({ key, type }) => (now.get(key) ?? type) !== type)
    .map(({ field }) => field);
  return fields.length === 0
    ? []
    : [{ kind: 'contract-renamed', about: [...removed, ...added].join(' '), literals: fields }];
}

function removedFields({ removed, added, files }: DiffView): Mechanism[] {
  const before = stringsIn(removed);
  const after = stringsIn(added);
  const gone = before.filter((text) => !after.includes(text));
  const about = [...files, ...removed].join(' ');
  if (
    gone.length === 0 ||
    !/required|field|schema|proto(?!col|typ)|envelope|struct|dto|message/i.test(about)
  )
    return [];
  const literals = [...new Set([...gone, ...after.filter((text) => !before.includes(text))])];
  return [{ kind: 'contract-renamed', about: removed.join(' '), literals }];
}

/** Validation that refuses input. */
const STRICTER =
  /required|NOT NULL|\bstrict|DisallowUnknown|additionalProperties["']?: false|@(NotNull|NotBlank|NotEmpty|Pattern|Size|Min|Max)\b|\b(min|max)Length\b|\bnonempty\(|\bCHECK ?\(|extra["']?\s*[:=]\s*["']forbid|FAIL_ON_UNKNOWN_PROPERTIES, true/i;
const CHECKS =
  /\b(required|NOT NULL|strict|validate\w*|DisallowUnknownFields|additionalProperties["']?: false|minLength|maxLength|nonempty|CHECK|forbid)\b|@(NotNull|NotBlank|NotEmpty|Pattern|Size|Min|Max)\b|\.strict\(\)|FAIL_ON_UNKNOWN/i;
/**
 * Settings that accept unknown input: of Jackson, Gson, pydantic, marshmallow, zod, JSON Schema.
 */
const LENIENT =
  /disable\(.{0,40}FAIL_ON_UNKNOWN|FAIL_ON_UNKNOWN\w*,? ?false|ignoreUnknown|@JsonIgnoreProperties|extra["']?\s*[:=]\s*["'](ignore|allow)|unknown\s*[:=]\s*["']?(ignore|EXCLUDE)|\.passthrough\(|\.catchall\(|additionalProperties["']?: true|READ_UNKNOWN|ACCEPT_\w+|setLenient\(|\.coerce\b|errors=["'](ignore|replace)/;

function checks({ removed, added, changed }: DiffView): Mechanism[] {
  const lenient = removed.filter((line) => LENIENT.test(line));
  if (lenient.length > 0 && !some(added, LENIENT))
    return [{ kind: 'leniency-removed', about: changed.join(' ') }];
  return some(changed, CHECKS) && some(added, STRICTER) && !some(removed, STRICTER)
    ? [{ kind: 'validation-tightened', about: added.join(' ') }]
    : [];
}
