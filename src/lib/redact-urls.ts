import type { Json } from './json.js';

const MARK = '***';
/** `scheme://user:password@`. The scheme's length is bounded, which keeps matching linear. */
const IN_AUTHORITY = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#@:]*:)[^\s/?#]*@/gi;
/** `https://token@`: a user without a password is a secret in HTTP. */
const ALONE = /(\bhttps?:\/\/)[^\s/?#@:]+@/gi;
const KEYS =
  'password|passwd|pwd|secret|token|access_token|api_?key|key|sig|signature|x-amz-(?:signature|credential|security-token)';
/**
 * `?password=…`, which Redis URLs may contain, and the like. A backslash before a quote belongs to
 * the JSON text around it.
 */
const IN_QUERY = new RegExp(`([?&](?:${KEYS})=)(?:[^\\s&#"'\\\\]|\\\\(?!\\\\{0,8}["']))*`, 'gi');
const REDACTED_IN_QUERY = new RegExp(`[?&](?:${KEYS})=\\*\\*\\*(?:[&#]|$)`, 'i');

/** Replaces the credentials of all URLs in a text (contract section 3). Idempotent. */
export function redactUrls(text: string): string {
  // Each of the patterns needs one of them, and most texts have neither.
  if (!text.includes('@') && !text.includes('=')) return text;
  return text
    .replace(IN_AUTHORITY, `$1${MARK}@`)
    .replace(ALONE, `$1${MARK}@`)
    .replace(IN_QUERY, `$1${MARK}`);
}

export function hasRedactedPassword(text: string): boolean {
  return text.includes(`:${MARK}@`) || text.includes(`//${MARK}@`) || REDACTED_IN_QUERY.test(text);
}

/** Applies `redactUrls` to every string of a value at any depth, except keys. */
export function redactDeep<T extends Json>(value: T): T;
export function redactDeep(value: Json): Json {
  if (typeof value === 'string') return redactUrls(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item)]));
}
