import { skipParts, type Cursor } from '../formats/cursor.js';
import type { Sink } from './follower.js';

const COLON = 0x3a;

/** A sink that drops the frames of a partly received event that the client already has. */
export function resumingSink(sink: Sink, cursor: Cursor): Sink {
  if (cursor.parts === 0) return sink;
  let begun = false;
  const write = (bytes: Buffer) => {
    // Comments may come first; all frames of an event come in one write.
    if (begun || bytes[0] === COLON) return sink.write(bytes);
    begun = true;
    return sink.write(Buffer.from(skipParts(bytes.toString(), cursor)));
  };
  return { ...sink, write };
}
