import type { Redact } from './redact-secrets.js';

const MARK = '***';
/** A shorter value would also be found where it is none. UTF-16 code units. */
const LEAST = 6;
/** Of values that may be known at once; those of the shipped limits of topologies are far fewer. */
const MOST = 5_000;

/**
 * Makes a function that replaces each of these values, whether it is written as it is, in base64 (at any offset) or
 * base64url, in hexadecimal digits, percent-encoded, or escaped as in JSON or HTML. The time is linear in the length of the
 * text, however many values there are.
 */
export function redactValues(values: Iterable<string>): Redact {
  const forms = new Set<string>();
  for (const value of [...values].slice(0, MOST))
    if (value.length >= LEAST) for (const form of formsOf(value)) forms.add(form);
  if (forms.size === 0) return (text) => text;
  /** First characters of a form → all forms that begin so, the longest first. */
  const byStart = new Map<string, string[]>();
  for (const form of [...forms].toSorted((a, b) => b.length - a.length)) {
    const start = form.slice(0, LEAST);
    byStart.set(start, [...(byStart.get(start) ?? []), form]);
  }
  const first = new Set([...byStart.keys()].map((start) => start.charCodeAt(0)));
  return (text) => {
    let redacted = '';
    let copied = 0;
    for (let i = 0; i + LEAST <= text.length; i++) {
      if (!first.has(text.charCodeAt(i))) continue;
      const length = lengthAt(text, i, byStart.get(text.slice(i, i + LEAST)) ?? []);
      if (length === 0) continue;
      redacted += text.slice(copied, i) + MARK;
      copied = i + length;
      i = copied - 1;
    }
    return copied === 0 ? text : redacted + text.slice(copied);
  };
}

/** How much of a text at a place is one of these values, or the beginning of one at the end of a text that was cut. */
function lengthAt(text: string, at: number, forms: readonly string[]): number {
  for (const form of forms) {
    if (text.startsWith(form, at)) return form.length;
    if (at + form.length < text.length) continue;
    const rest = text.slice(at).replace(/…$/, '');
    if (form.startsWith(rest)) return rest.length;
  }
  return 0;
}

const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

function formsOf(value: string): string[] {
  const percent = encodeURIComponent(value.replace(LONE_SURROGATE, '\ufffd'));
  const bytes = bytesOf(percent);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    ...[value, JSON.stringify(value).slice(1, -1), htmlOf(value)],
    ...[percent, lower(percent), percent.replaceAll('%20', '+')],
    ...[hex, hex.toUpperCase()],
    ...base64.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]),
  ].filter((form) => form.length >= LEAST);
}

const htmlOf = (value: string): string =>
  value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** UTF-8. @param percent percent-encoded text */
const bytesOf = (percent: string): number[] =>
  (percent.match(/%..|[^%]/g) ?? []).map((unit) =>
    unit.startsWith('%') ? parseInt(unit.slice(1), 16) : unit.charCodeAt(0),
  );

/** The characters of base64 (RFC 4648 section 4) that depend on these bytes alone, behind so many others modulo 3. */
function base64At(bytes: readonly number[], offset: number): string {
  const all = [...Array<number>(offset).fill(0), ...bytes];
  const from = Math.ceil((offset * 8) / 6);
  let text = '';
  for (let at = from; at < Math.floor((all.length * 8) / 6); at++) {
    const byte = Math.floor((at * 6) / 8);
    const pair = ((all[byte] ?? 0) << 8) | (all[byte + 1] ?? 0);
    text += BASE64[(pair >> (10 - ((at * 6) % 8))) & 63];
  }
  return text;
}
