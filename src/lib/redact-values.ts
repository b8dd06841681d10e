import type { Redact } from './redact-secrets.js';

const MARK = '***';
/** A shorter value would also occur by chance. UTF-16 code units. */
const LEAST = 6;
/** Maximum number of known values; those of the shipped limits of topologies are far fewer. */
const MOST = 5_000;

/** A node in the tree of all forms; forms with the same beginning share a path. */
interface Branch {
  /** The characters that lead here from the place before. */
  label: string;
  /** Whether a form ends here. */
  isForm: boolean;
  /** By the first character of their labels. */
  readonly next: Map<number, Branch>;
}

/**
 * Makes a function that replaces each of these values, whether it is written as it is, in base64
 * (at any offset) or base64url, in hexadecimal digits, percent-encoded, or escaped as in JSON or
 * HTML. The time is linear in the length of the text, however many values there are.
 */
export function redactValues(values: Iterable<string>): Redact {
  const root: Branch = { label: '', isForm: false, next: new Map() };
  for (const value of [...values].slice(0, MOST))
    if (value.length >= LEAST) for (const form of formsOf(value)) grow(root, form);
  if (root.next.size === 0) return (text) => text;
  return (text) => {
    let redacted = '';
    let copied = 0;
    for (let i = 0; i + LEAST <= text.length; i++) {
      const length = lengthAt(text, i, root);
      if (length === 0) continue;
      redacted += text.slice(copied, i) + MARK;
      copied = i + length;
      i = copied - 1;
    }
    return copied === 0 ? text : redacted + text.slice(copied);
  };
}

/** Adds a form to a tree. */
function grow(root: Branch, form: string): void {
  let branch = root;
  for (let at = 0; at < form.length; at += branch.label.length) {
    const found = branch.next.get(form.charCodeAt(at));
    const shared = found ? sharedLength(found.label, form, at) : 0;
    const label = form.slice(at, shared > 0 ? at + shared : undefined);
    const next = new Map<number, Branch>();
    const grown = found && shared === found.label.length ? found : { label, isForm: false, next };
    if (found && grown !== found) {
      found.label = found.label.slice(shared);
      next.set(found.label.charCodeAt(0), found);
    }
    branch.next.set(form.charCodeAt(at), grown);
    branch = grown;
  }
  branch.isForm = true;
}

/** How many characters of a label a form has at a place. */
function sharedLength(label: string, form: string, at: number): number {
  let shared = 0;
  while (shared < label.length && label[shared] === form[at + shared]) shared++;
  return shared;
}

/**
 * How much of a text at a place is the longest of the forms, or the beginning of one at the end of
 * a text that was cut.
 */
function lengthAt(text: string, at: number, root: Branch): number {
  const stop = text.endsWith('…') ? text.length - 1 : text.length;
  let length = 0;
  let end = at;
  for (let branch = root; ;) {
    const next = branch.next.get(text.charCodeAt(end));
    const left = stop - end;
    const isBegun =
      left === 0 ||
      (left > 0 &&
        next !== undefined &&
        left < next.label.length &&
        next.label.startsWith(text.slice(end, stop)));
    if (isBegun && stop - at >= LEAST) length = stop - at;
    if (next === undefined || !text.startsWith(next.label, end)) return length;
    end += next.label.length;
    branch = next;
    if (branch.isForm) length = end - at;
  }
}

const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());

function formsOf(value: string): string[] {
  const percent = encodeURIComponent(value.replace(LONE_SURROGATE, '\ufffd'));
  const bytes = bytesOf(percent);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    value,
    JSON.stringify(value).slice(1, -1),
    htmlOf(value),
    percent,
    lower(percent),
    percent.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
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

/**
 * The characters of base64 (RFC 4648 section 4) that depend on these bytes alone, behind so many
 * others modulo 3.
 */
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
