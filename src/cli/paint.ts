const CODES = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
} as const;

export type Colour = keyof typeof CODES;

/** Wraps a text in a colour, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_, text) => text;
export const ansi: Paint = (colour, text) =>
  text === '' ? '' : `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/** Colours only where a person looks on, and did not say no (https://no-color.org). */
export function paintFor(
  stream: { isTTY?: boolean },
  env: Record<string, string | undefined>,
): Paint {
  return stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
    ? ansi
    : plain;
}
