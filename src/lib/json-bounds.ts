/** Maximum shape of a JSON text. */
export interface JsonBounds {
  /** Nesting of objects and arrays. */
  depth: number;
  /** Keys of one object. */
  keys: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Finds a bound that a JSON text exceeds in one pass over its bytes. It runs before `JSON.parse`,
 * whose result may be too deep or too wide for the validators. Malformed text is left to the
 * parser.
 * @param bytes UTF-8
 */
export function exceededBound(bytes: Uint8Array, most: JsonBounds): keyof JsonBounds | undefined {
  /** Number of keys of each open object or array. */
  const open: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      i = endOfString(bytes, i);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (open.push(0) > most.depth) return 'depth';
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      open.pop();
    } else if (byte === COLON) {
      const keys = (open.pop() ?? 0) + 1;
      if (keys > most.keys) return 'keys';
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
