import type { Json } from './json.js';

const MARK = '***';
/** `scheme://user:password@`. The scheme's length is bounded, which keeps matching linear. */
const IN_AUTHORITY = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#@:]*:)[^\s/?#]*@/gi;
/** `?password=…`, which Redis URLs may contain. */
const IN_QUERY = /([?&](?:password|passwd|pwd)=)[^\s&#]*/gi;

/** Replaces the passwords of all URLs in a text (contract section 3). Idempotent. */
export function redactUrls(text: string): string {
  return text.replace(IN_AUTHORITY, `$1${MARK}@`).replace(IN_QUERY, `$1${MARK}`);
}

export function hasRedactedPassword(text: string): boolean {
  return text.includes(`:${MARK}@`) || /[?&](?:password|passwd|pwd)=\*\*\*(?:[&#]|$)/i.test(text);
}

/** Applies `redactUrls` to every string of a value at any depth, except keys. */
export function redactDeep<T extends Json>(value: T): T;
export function redactDeep(value: Json): Json {
  if (typeof value === 'string') return redactUrls(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item)]));
}
