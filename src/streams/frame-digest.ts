import { createHash } from 'node:crypto';

/** What tells a frame from any other that may stand at its place in another history: a digest of its bytes. */
export const printOf = (frame: Buffer): string => createHash('sha1').update(frame).digest('base64');

/** The print of the last of some whole frames. A frame ends in an empty line, and no frame contains one. */
export function printOfLast(frames: Buffer): string {
  const before = frames.lastIndexOf('\n\n', frames.length - 3);
  return printOf(before < 0 ? frames : frames.subarray(before + 2));
}
