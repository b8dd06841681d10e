import { createHash } from 'node:crypto';

/** SHA-1 of a frame. Detects another frame with the same sequence, after a failover lost events. */
export const frameDigest = (frame: Buffer): string =>
  createHash('sha1').update(frame).digest('base64');

/** The digest of the last frame. A frame ends in an empty line and contains no other. */
export function lastFrameDigest(frames: Buffer): string {
  const before = frames.lastIndexOf('\n\n', frames.length - 3);
  return frameDigest(before < 0 ? frames : frames.subarray(before + 2));
}
