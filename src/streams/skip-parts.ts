import type { Cursor } from '../domain/formats/cursor.js';
import type { Sink } from '../event-log/follower.js';

const ID = /^(?:event: [^\n]*\n)?id: (\d+)\.(\d+)\n/;

/** A sink that drops what the client of a cursor has already: the first frames of the event that its stream was cut in. */
export function skipParts(sink: Sink, { after, parts }: Cursor): Sink {
  if (parts === 0) return sink;
  let begun = false;
  const write = (bytes: Buffer) => {
    // Comments may come first; all frames of an event come at once.
    if (begun || bytes[0] === COLON) return sink.write(bytes);
    begun = true;
    let text = bytes.toString();
    for (let known = ID.exec(text); known && Number(known[1]) === after + 1 && Number(known[2]) <= parts; known = ID.exec(text))
      text = text.slice(text.indexOf('\n\n') + 2);
    sink.write(Buffer.from(text));
  };
  return { ...sink, write };
}

const COLON = 58;
