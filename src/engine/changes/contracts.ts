import { some, stringsIn, type DiffView } from './read-diff.js';
import type { Mechanism } from './mechanism.js';

const ON_THE_WIRE =
  /json:|yaml:|xml:|protobuf|db:|@JsonProperty|alias|field|column|header|topic|queue|key|env|getenv/i;
/** Pairs of lines are compared: of a large diff only its beginning. */
const MOST_PAIRED = 300;
const unquoted = (line: string): string => line.replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '');

/** A word or a sentence that people read: `Hello`, `see the order`. */
const SHOWN = /^[A-Z][a-z]+$|\s/;

/** What the line around a renamed text says that the text is; the first row that fits counts. */
const MEANINGS: readonly [
  fits: (line: string, text: string) => boolean,
  kind: Mechanism['kind'],
][] = [
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
  const renamed = renamedTexts(view);
  const found = renamed.flatMap(({ line, from, to }): Mechanism[] => {
    const kind = MEANINGS.find(([fits]) => fits(line, from))?.[1];
    const named = kind === 'address-changed' || kind === 'contract-renamed';
    return kind === undefined
      ? []
      : [{ kind, about: named ? `${line} ${from} ${to}` : line, literals: [from, to] }];
  });
  if (renamed.length === 0) found.push(...removedFields(view));
  return [...found, ...addresses(view, found), ...keys(view, found), ...checks(view)];
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
  return quoted(removed).flatMap(({ line, texts, frame }) => {
    const named = ON_THE_WIRE.test(line);
    return now.flatMap((other) => {
      if (other.texts.length !== texts.length || (other.frame !== frame && !named)) return [];
      const changed = texts.flatMap((text, i) => (text === other.texts[i] ? [] : [i]));
      const [only] = changed;
      if (only === undefined || changed.length > 1) return [];
      return [{ line, from: texts[only] ?? '', to: other.texts[only] ?? '' }];
    });
  });
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

function keys(
  { removed, added, changed, files }: DiffView,
  found: readonly Mechanism[],
): Mechanism[] {
  const keyed = /\bkey\w*\s*:?=|\.Key\s*=|\w*Key\s*[:=(]|key=|partition|hash|shard/i;
  const shared = /cache|partition|shard|kafka|produc|publish|consum|msg|message|topic|hash|key/i;
  const about = [...changed, ...files].join(' ');
  return some(removed, keyed) &&
    some(added, keyed) &&
    shared.test(about) &&
    !found.some(({ kind }) => kind === 'key-changed')
    ? [{ kind: 'key-changed', about, literals: stringsIn(changed) }]
    : [];
}

function checks({ removed, added, changed }: DiffView): Mechanism[] {
  const validates =
    /\b(required|NOT NULL|strict|validate\w*|DisallowUnknownFields|additionalProperties: false|\.strict\(\))\b/i;
  const stricter = /required|NOT NULL|strict|DisallowUnknown|additionalProperties: false/i;
  return some(changed, validates) && some(added, stricter) && !some(removed, /required|strict/i)
    ? [{ kind: 'validation-tightened', about: added.join(' ') }]
    : [];
}
