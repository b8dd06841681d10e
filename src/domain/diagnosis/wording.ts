const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Names in a sentence; the rest is a number. */
const MOST_NAMED = 5;

/** A few names, and how many more there are: `A, B, C, D, E and 3 more`. */
export function some(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return rest > 0 ? list([...names.slice(0, MOST_NAMED), `${rest} more`]) : list(names);
}
