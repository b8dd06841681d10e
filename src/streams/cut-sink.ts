import type { Sink } from './follower.js';

const COLON = 0x3a;

/**
 * A sink that ends after the first frame for which `isLast` holds.
 * @param isLast gets whole frames
 */
export function cutSink(sink: Sink, isLast: (frame: string) => boolean): Sink {
  let isOver = false;
  const write = (bytes: Buffer) => {
    if (isOver) return 0;
    if (bytes[0] === COLON) return sink.write(bytes);
    const frames = bytes.toString().split(/(?<=\n\n)/);
    const last = frames.findIndex(isLast);
    if (last < 0) return sink.write(bytes);
    isOver = true;
    const given = sink.write(Buffer.from(frames.slice(0, last + 1).join('')));
    sink.end();
    return given;
  };
  return { ...sink, write };
}
