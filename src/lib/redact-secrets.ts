import type { Json, JsonObject } from './json.js';
import { redactUrls } from './redact-urls.js';
import { countRedaction, type Detector } from './redactions.js';

/** Replaces text that may not be shown. */
export type Redact = (text: string) => string;

const MARK = '***';

/**
 * Names of values that are secret; those of `OTHERS` also stand in prose, as in `token: expired`.
 */
const PASSWORDS = 'passw(?:or)?d|passwd|pwd|secret';
const OTHERS = 'token|api[_-]?key|access[_-]?key|account[_-]?key|private[_-]?key|credentials?';
const NAMES = `${PASSWORDS}|${OTHERS}`;
/** What MySQL prints instead of a password: `(using password: NO)`. */
const WHETHER = '(?!(?:yes|no)\\))';
const PROSE = '(?<!:\\s{1,3}(?=[a-z]{1,20}(?:[\\s.,;]|$)))';

const assigned = (names: string, unless = '') =>
  new RegExp(
    `((?:${names})[\\w-]{0,30}["']?\\s{0,3}[:=]\\s{0,3}["']?)(?!\\*\\*\\*|\\d+\\b)${unless}[^\\s"',;&}]{3,4096}`,
    'gi',
  );

/**
 * Quantifiers are bounded, or begin only at the start of a run of their characters, so that no text
 * makes a pattern quadratic.
 */
const PATTERNS: readonly [detector: Detector, pattern: RegExp, replacement: string][] = [
  // Up to its end or the next key: a search for the end that passed all keys behind would be
  // quadratic.
  [
    'private_key',
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^"]{0,20000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|(?=-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----))/g,
    MARK,
  ],
  ['cookie', /\b((?:set-)?cookie\s{0,3}:\s{0,3})(?!\*\*\*)[^\s"][^\r\n"]{2,4096}/gi, `$1${MARK}`],
  // With a digit or a sign: `basic authentication` is prose.
  [
    'authorization',
    /\b(bearer|basic)\s+(?=[\w.~+/=-]{0,100}[\d=+/])[\w.~+/=-]{8,4096}/gi,
    `$1 ${MARK}`,
  ],
  // A JSON Web Token (RFC 7519): only a run of its characters that two dots end is searched for its
  // beginning.
  ['jwt', /(?<![\w-])(?=[\w-]+\.[\w-]+\.)([\w-]*?\b)eyJ[\w-]{10,}\.[\w-]+\.[\w-]*/g, `$1${MARK}`],
  // A key of this service, or the beginning of one: src/http/access/api-key.ts.
  ['own_key', /csk_[a-z2-7]{12}_[0-9A-Za-z]{1,43}(?:_[0-9a-f]{0,8})?/g, MARK],
  // Identifiers that providers give their keys.
  ['provider_key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MARK],
  [
    'provider_key',
    /\b(?:sk|rk|gh[opsur]|github_pat|glpat|npm|xox[abeprs])[-_][\w-]{16,255}/g,
    MARK,
  ],
  ['provider_key', /\bAIza[\w-]{35}/g, MARK],
  ['provider_key', /(\bhooks\.slack\.com\/services\/)[\w/]{10,100}/g, `$1${MARK}`],
  ['named', assigned(PASSWORDS, WHETHER), `$1${MARK}`],
  ['named', assigned(OTHERS, PROSE), `$1${MARK}`],
];
/** A text without any of these has no match of a pattern. */
const HINT =
  /passw|pwd|secret|token|key|credential|cookie|bearer|basic|eyJ|AKIA|ASIA|AIza|(?:sk|rk|gh[opsur]|pat|npm|xox[abeprs])[-_]|hooks\.slack/i;

/**
 * Replaces what looks like a credential in a text: passwords of URLs, tokens, keys, and values
 * named as such.
 */
export function redactSecrets(text: string): string {
  const plain = countRedaction('url', text, redactUrls(text));
  if (!HINT.test(plain)) return plain;
  return PATTERNS.reduce(
    (result, [detector, pattern, replacement]) =>
      countRedaction(detector, result, result.replace(pattern, replacement)),
    plain,
  );
}

const SECRET_NAME = new RegExp(`${NAMES}|authorization|cookie`, 'i');

/** Whether a key names a secret value. */
export const isSecretName = (name: string): boolean => SECRET_NAME.test(name);

const SECRET_START = new RegExp(`(?<=(?:${NAMES})[\\w-]{0,30}: )`, 'i');

/**
 * Splits a text behind each name of a secret value with a colon and a space, as in `Client secret:
 * connection refused`.
 */
export const splitBehindSecretNames = (text: string): string[] => text.split(SECRET_START);

const SECRET_END = new RegExp(`(?:${NAMES})[\\w-]{0,30}["']?\\s*$`, 'i');

/**
 * Whether a text ends in the name of a secret value: with a colon behind it, the next word would be
 * redacted.
 */
export const endsInSecretName = (text: string): boolean => SECRET_END.test(text);

/** The same value with each of its texts, at any depth, replaced. Keys stay. */
export function mapTexts<Value>(value: Value, change: Redact): Value {
  if (typeof value === 'string') return change(value) as Value;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key, mapTexts(item, change)]),
  ) as Value;
}

/**
 * The same for every string of a value at any depth; a text whose key names a credential is
 * replaced completely.
 */
export function redactSecretsDeep(value: JsonObject): JsonObject;
export function redactSecretsDeep(value: Json, name?: string): Json;
export function redactSecretsDeep(value: Json, name = ''): Json {
  if (typeof value === 'string')
    return isSecretName(name) && value !== '' ? MARK : redactSecrets(value);
  if (Array.isArray(value)) return value.map((item) => redactSecretsDeep(item, name));
  if (typeof value !== 'object' || value === null) return value;
  // `{name: "DB_PASSWORD", value: "…"}`: a variable of a container, a header.
  const named = typeof value['name'] === 'string' ? value['name'] : '';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      redactSecretsDeep(item, key === 'value' ? named : key),
    ]),
  );
}
