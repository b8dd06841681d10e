/** Largest shape of a JSON text that is parsed. */
export interface JsonBounds {
  /** Objects and arrays within each other. */
  depth: number;
  /** Keys of one object. */
  keys: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/**
 * What a JSON text exceeds, found by one pass over its bytes: before `JSON.parse`, whose result may be too deep or too wide for
 * the validators behind it. Malformed text is left for the parser to refuse.
 * @param bytes UTF-8
 */
export function exceededBound(bytes: Uint8Array, most: JsonBounds): keyof JsonBounds | undefined {
  /** Keys so far, of each open object or array. */
  const open: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = endOfString(bytes, i);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (open.push(0) > most.depth) return 'depth';
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open.pop();
        break;
      case COLON: {
        const keys = (open.pop() ?? 0) + 1;
        if (keys > most.keys) return 'keys';
        open.push(keys);
        break;
      }
    }
  }
  return undefined;
}

/** Index of the quote that ends the string which begins at `start`. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
