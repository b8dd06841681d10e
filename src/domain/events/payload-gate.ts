import type { Finding } from '../diagnosis/finding.js';
import type { Json, JsonObject } from '../../lib/json.js';
import { countFindings } from '../diagnosis/verdict.js';

/** A text is not cut below this many UTF-16 code units, so that ids, codes and names stay whole. */
const SHORT = 256;
/** Objects keep this many keys at least: none of the contract's payloads has more, so that each keeps its shape. */
const KEYS = 16;
/** Code units that are shown of a free-form value which cannot be made small enough otherwise. */
const PREVIEW = 8_192;
const MARK = '…';

/** Bytes of a text in UTF-8. A lone surrogate counts three, as it is replaced by U+FFFD; JSON text has none. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    bytes++;
    if (unit < 0x800) continue;
    bytes++;
    if (unit < 0xd800 || unit > 0xdbff) continue;
    const next = text.charCodeAt(i + 1);
    // A pair is four bytes and two units: its second half was counted with `text.length` and adds one.
    if (next >= 0xdc00 && next <= 0xdfff) i++;
  }
  return bytes;
}

/** The beginning of a text, at most `most` UTF-16 code units and the mark, cut between code points. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most) + MARK;
}

/**
 * A copy whose texts and keys have at most `units`, and whose lists have at most `items`; undefined when it is certain to take
 * more than `most` bytes as JSON. O(most): it stops where it is too large.
 */
function shrink(
  source: JsonObject,
  units: number,
  items: number,
  most: number,
): JsonObject | undefined {
  let left = most;
  const copy = (value: Json): Json => {
    left--;
    if (left < 0) return null;
    if (typeof value === 'string') {
      const text = cutText(value, units);
      left -= text.length;
      return text;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.slice(0, items).map(copy);
    const kept: [string, Json][] = [];
    for (const key of Object.keys(value).slice(0, Math.max(items, KEYS))) {
      if (left < 0) break;
      left -= Math.min(key.length, units) + 3;
      kept.push([cutText(key, units), copy(value[key] as Json)]);
    }
    return Object.fromEntries(kept);
  };
  const copied = copy(source) as JsonObject;
  return left < 0 ? undefined : copied;
}

/** Cuts free-form values, on whose shape no reader relies, to the beginning of their text. */
const previewed = (data: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => {
      const typed =
        typeof value !== 'object' ||
        value === null ||
        key === 'report' ||
        key === 'findings' ||
        key === 'hierarchy';
      if (typed || JSON.stringify(value).length <= PREVIEW) return [key, value];
      const preview = cutText(JSON.stringify(value), PREVIEW);
      return [key, key === 'args' ? { preview } : preview];
    }),
  );

/** A report whose findings were cut says how many it has now. */
function recounted(data: JsonObject): JsonObject {
  const report = data['report'] as JsonObject | null | undefined;
  if (!report) return data;
  return {
    ...data,
    report: { ...report, counts: { ...countFindings(report['findings'] as unknown as Finding[]) } },
  };
}

/**
 * The JSON of a payload that is too large, cut to at most `most` bytes: first the longest texts, as little as is needed;
 * where that is not enough, lists from their ends; at last, free-form values become the beginning of their text. The result
 * has the shape of the payload, and `truncated: true`.
 */
function cutPayload(json: string, most: number): string {
  // First, since lists of keys are cut from their ends.
  const data: JsonObject = { truncated: true, ...(JSON.parse(json) as JsonObject) };
  data['truncated'] = true;
  const made = (source: JsonObject, units: number, items: number): string | undefined => {
    const copy = shrink(source, units, items, most);
    const text = copy && JSON.stringify(recounted(copy));
    return text !== undefined && utf8Length(text) <= most ? text : undefined;
  };
  /** The text for about the greatest n in [low, high] that fits, if the one for `low` does. */
  const fitting = (
    low: number,
    high: number,
    text: (n: number) => string | undefined,
  ): string | undefined => {
    let best = text(low);
    while (best !== undefined && high - low > low / 64) {
      const middle = Math.ceil((low + high) / 2);
      const tried = text(middle);
      if (tried === undefined) high = middle - 1;
      else [low, best] = [middle, tried];
    }
    return best;
  };
  const all = json.length;
  return (
    fitting(SHORT, Math.max(SHORT, most), (units) => made(data, units, all)) ??
    fitting(1, Math.max(1, most), (items) => made(data, SHORT, items)) ??
    made(previewed(data), PREVIEW, 1) ??
    '{"truncated":true}'
  );
}

/**
 * The one gate that every payload passes before it is stored: serialises it, and sees to it that it has at most `most` bytes
 * (at least 65,536, so that each of the contract's payloads fits with its texts cut short). Decision 11.
 * @throws TypeError on what JSON cannot say (a circle, a bigint)
 */
export function passGate(data: object, most: number): string {
  const json = JSON.stringify(data);
  // No code unit takes more than three bytes.
  return json.length * 3 <= most || utf8Length(json) <= most ? json : cutPayload(json, most);
}
