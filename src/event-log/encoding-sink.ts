import type { EncodedView } from './encoded-view.js';
import type { Sink } from './follower.js';

const PING = Buffer.from(': ping\n\n');
const COLON = 0x3a;

/**
 * A sink that takes frames of the log and passes them on in another format.
 * @param state of the encoder where the frames begin
 * @param silenceMs a comment is sent where events that the format cannot say have been all that there was for so long
 */
export function encodingSink(sink: Sink, view: EncodedView, state: unknown, silenceMs: number): Sink {
  let now = state;
  let wroteAt = performance.now();
  const pass = (bytes: Buffer) => {
    wroteAt = performance.now();
    sink.write(bytes);
  };
  const write = (frames: Buffer) => {
    if (frames[0] === COLON) return pass(frames);
    const stretch = view.encode(frames, now);
    now = stretch.state;
    if (stretch.bytes.length > 0) pass(stretch.bytes);
    else if (performance.now() - wroteAt > silenceMs) pass(PING);
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
