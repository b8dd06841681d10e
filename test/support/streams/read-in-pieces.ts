import { framesOf, idOf } from './encode.js';
import type { EventStream } from './event-stream.js';
import { until } from '../until.js';

/** The complete frames of a stream in any format. */
export const wholeFrames = ({ text }: EventStream): string =>
  framesOf(text.slice(0, text.lastIndexOf('\n\n') + 2)).join('');

/**
 * Reads a run to its end through connections that are cut after every chunk, wherever it ends.
 * @param resume opens the next connection, after the frame with this id
 * @returns the frames that a client has at the end, and the number of cuts
 */
export async function readInPieces(
  first: EventStream,
  resume: (lastEventId: string) => Promise<EventStream>,
): Promise<{ text: string; cuts: number }> {
  let stream = first;
  let text = '';
  for (let cuts = 0; ; cuts++) {
    await until(
      'something new, or the end',
      () => stream.ended || wholeFrames(stream) !== '',
      30_000,
    );
    const { ended } = stream;
    stream.cut();
    const frames = framesOf(wholeFrames(stream));
    text += frames.join('');
    if (ended) return { text, cuts };
    stream = await resume(idOf(frames.at(-1) as string));
  }
}
