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
/** @internal Exported for tests. */
export const ansi: Paint = (colour, text) =>
  text === '' ? '' : `\u001b[${CODES[colour]}m${text}\u001b[0m`;

/**
 * Colours only on a terminal and unless NO_COLOR is set (https://no-color.org), or if FORCE_COLOR
 * is set.
 */
export function paintFor(
  stream: { isTTY?: boolean },
  env: Record<string, string | undefined>,
): Paint {
  if ((env['NO_COLOR'] ?? '') !== '') return plain;
  if (!['', '0'].includes(env['FORCE_COLOR'] ?? '')) return ansi;
  return stream.isTTY === true && env['TERM'] !== 'dumb' ? ansi : plain;
}
