/** A text decoded from bytes, and whether nothing was left out. */
export interface BytesAsText {
  text: string;
  whole: boolean;
}

/**
 * Bytes for a log and for a model: as UTF-8, at most `most` of them. Binary data is described by
 * its size only; invalid parts become U+FFFD.
 */
export function textOfBytes(bytes: Uint8Array, most: number): BytesAsText {
  const shown = bytes.subarray(0, most);
  if (shown.includes(0)) return { text: `(binary, ${bytes.length} bytes)`, whole: false };
  const text = new TextDecoder('utf-8').decode(shown);
  // A character that is split by the limit is not invalid.
  const cut = shown.length < bytes.length ? text.replace(/\ufffd$/, '') : text;
  return { text: cut, whole: shown.length === bytes.length && isUtf8(shown) };
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
