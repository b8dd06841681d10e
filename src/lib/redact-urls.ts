import type { Json } from './json.js';

const MARK = '***';
/** `scheme://user:password@`. The scheme's length is bounded, so that no text makes this quadratic. */
const IN_AUTHORITY = /([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/?#@:]*:)[^\s/?#]*@/gi;
/** `?password=…`, as Redis URLs may have it. */
const IN_QUERY = /([?&](?:password|passwd|pwd)=)[^\s&#]*/gi;

/** Takes the passwords out of all URLs in a text (contract section 3). Doing it twice changes nothing. */
export function redactUrls(text: string): string {
  return text.replace(IN_AUTHORITY, `$1${MARK}@`).replace(IN_QUERY, `$1${MARK}`);
}

export function hasRedactedPassword(text: string): boolean {
  return text.includes(`:${MARK}@`) || /[?&](?:password|passwd|pwd)=\*\*\*(?:[&#]|$)/i.test(text);
}

/** The same for every string of a value, however deep; keys stay as they are. */
export function redactDeep<T extends Json>(value: T): T;
export function redactDeep(value: Json): Json {
  if (typeof value === 'string') return redactUrls(value);
  if (Array.isArray(value)) return value.map((item) => redactDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redactDeep(item)]));
}
