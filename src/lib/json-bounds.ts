/** Maximum shape of a JSON text. */
interface JsonBounds {
  /** Nesting of objects and arrays. */
  depth: number;
  /** Keys of one object. */
  keys?: number;
  /** Elements of one array, and keys of one object. */
  entries?: number;
  /** Of all objects and arrays together. */
  values?: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Finds a bound that a JSON text exceeds in one pass over its bytes. It runs before `JSON.parse`,
 * whose result may be too deep or too wide for the validators. Malformed text is left to the
 * parser.
 * @param bytes UTF-8
 * @returns one of the bounds that were given
 */
export function exceededBound<Given extends JsonBounds>(
  bytes: Uint8Array,
  most: Given,
): Extract<keyof Given, keyof JsonBounds> | undefined;
export function exceededBound(
  bytes: Uint8Array,
  { depth, keys: mostKeys = Infinity, entries = Infinity, values = Infinity }: JsonBounds,
): keyof JsonBounds | undefined {
  /** Number of keys of each open object or array. */
  const open: number[] = [];
  /** Number of commas of each of them. */
  const commas: number[] = [];
  let seen = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (open.push(0) > depth) return 'depth';
      commas.push(0);
      if (++seen > values) return 'values';
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      open.pop();
      commas.pop();
    } else if (byte === COMMA) {
      const inside = (commas.pop() ?? 0) + 1;
      // The last entry has no comma behind it.
      if (inside >= entries) return 'entries';
      commas.push(inside);
      if (++seen > values) return 'values';
    } else if (byte === COLON) {
      const keys = (open.pop() ?? 0) + 1;
      if (keys > mostKeys) return 'keys';
      open.push(keys);
    }
  }
  return undefined;
}

/** Index of the quote that ends the string that starts at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
