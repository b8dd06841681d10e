import type { EncodedView } from './encoded-view.js';
import type { Sink } from './follower.js';

const COLON = 0x3a;

/**
 * A sink that encodes frames of the log in another format.
 * @param state of the encoder before the first frame
 */
export function encodingSink(sink: Sink, view: EncodedView, state: unknown): Sink {
  let now = state;
  const write = (frames: Buffer) => {
    if (frames[0] === COLON) return sink.write(frames);
    const range = view.encode(frames, now);
    now = range.state;
    return range.bytes.length > 0 ? sink.write(range.bytes) : 0;
  };
  return {
    write,
    backlog: () => sink.backlog(),
    queued: () => sink.queued(),
    onceDrained: (callback) => sink.onceDrained(callback),
    end: () => sink.end(),
    destroy: () => sink.destroy(),
  };
}
