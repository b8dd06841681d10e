import type { EncodedView } from './encoded-view.js';
import type { Sink } from './follower.js';

const COLON = 0x3a;

/**
 * A sink that takes frames of the log and passes them on in another format.
 * @param state of the encoder where the frames begin
 */
export function encodingSink(sink: Sink, view: EncodedView, state: unknown): Sink {
  let now = state;
  const write = (frames: Buffer) => {
    if (frames[0] === COLON) return sink.write(frames);
    const stretch = view.encode(frames, now);
    now = stretch.state;
    return stretch.bytes.length > 0 ? sink.write(stretch.bytes) : 0;
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
