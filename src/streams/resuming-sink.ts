import { skipParts, type Cursor } from '../formats/cursor.js';
import type { Sink } from './follower.js';

const COLON = 0x3a;

/** A sink that drops what the client of a cursor has already: the first frames of the event that its stream was cut in. */
export function resumingSink(sink: Sink, cursor: Cursor): Sink {
  if (cursor.parts === 0) return sink;
  let begun = false;
  const write = (bytes: Buffer) => {
    // Comments may come first; all frames of an event come at once.
    if (begun || bytes[0] === COLON) return sink.write(bytes);
    begun = true;
    return sink.write(Buffer.from(skipParts(bytes.toString(), cursor)));
  };
  return { ...sink, write };
}
