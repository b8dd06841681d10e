import { clip, fitsIn } from '../lib/text.js';

const LONGEST = 60;

/** The title of a conversation: its first message, on one line. */
export function titleOf(message: string): string {
  const line = message.trim().replace(/\s+/g, ' ');
  return fitsIn(line, LONGEST) ? line : `${clip(line, LONGEST - 1).trimEnd()}…`;
}
