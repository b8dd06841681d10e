import type { Json } from './json.js';
import { redactUrls } from './redact-urls.js';

const MARK = '***';

/** Quantifiers are bounded, so that no text makes a pattern quadratic. */
const PATTERNS: readonly [pattern: RegExp, replacement: string][] = [
  [
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^]{0,20000}?-----END [A-Z ]{0,30}PRIVATE KEY-----/g,
    MARK,
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,4096}/gi, `$1 ${MARK}`],
  // A JSON Web Token (RFC 7519), and identifiers that providers give their keys.
  [/\beyJ[\w-]{10,4096}\.[\w-]{1,4096}\.[\w-]{0,4096}/g, MARK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, MARK],
  [/\b(?:sk|ghp|gho|ghs|glpat|xox[abprs])[-_][\w-]{16,255}/g, MARK],
  [
    /\b([\w.-]{0,60}(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key|credentials?)[\w-]{0,30}["']?\s{0,3}[:=]\s{0,3}["']?)(?!\*\*\*|\d+\b)[^\s"',;&}]{3,4096}/gi,
    `$1${MARK}`,
  ],
];

/** Replaces what looks like a credential in a text: passwords of URLs, tokens, keys, and values named as such. */
export function redactSecrets(text: string): string {
  return PATTERNS.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    redactUrls(text),
  );
}

const SECRET_NAME =
  /passw(?:or)?d|pwd$|secret|token|api[_-]?key|access[_-]?key|credential|authorization/i;

/** The same for every string of a value at any depth; a text whose key names a credential goes whole. */
export function redactSecretsDeep(value: Json, name = ''): Json {
  if (typeof value === 'string')
    return SECRET_NAME.test(name) && value !== '' ? MARK : redactSecrets(value);
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
