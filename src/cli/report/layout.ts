// Characters of a log that a terminal must not receive: control characters, with which a probed
// target could move the cursor or worse.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;
/** Those of them that `JSON.stringify` does not escape. */
const UNESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** One line of readable text: control characters and runs of white space become one space. */
export const oneLine = (text: string): string =>
  text.replace(CONTROL, ' ').replace(/\s+/g, ' ').trim();

/** JSON that a terminal may show: control and bidirectional characters are escaped. */
export const printableJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    UNESCAPED,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Cuts to at most `width` characters, the last an ellipsis. */
export function shorten(text: string, width: number): string {
  const points = [...text];
  return points.length <= width ? text : `${points.slice(0, Math.max(width - 1, 0)).join('')}…`;
}

/**
 * Breaks at white space into lines of at most `width` characters; at most `most` lines, the last
 * with an ellipsis where text is left.
 */
export function wrap(text: string, width: number, most = Infinity): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of oneLine(text)
    .split(' ')
    .flatMap((word) => chop(word, width))) {
    if (line === '') line = word;
    else if (length(line) + 1 + length(word) <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  if (line !== '') lines.push(line);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), shorten(`${lines[most - 1]} ${lines[most]}`, width)];
}

/**
 * Counts code points, which equals columns for all usual node names except wide East Asian
 * characters.
 */
export const length = (text: string): number => [...text].length;

/** `28 ms`, `1.6 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(Math.round(ms), 0)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** `1 node`, `3 nodes`. */
export const count = (n: number, noun: string): string =>
  `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

function chop(word: string, width: number): string[] {
  const points = [...word];
  if (points.length <= width) return [word];
  const pieces: string[] = [];
  for (let i = 0; i < points.length; i += width) pieces.push(points.slice(i, i + width).join(''));
  return pieces;
}
