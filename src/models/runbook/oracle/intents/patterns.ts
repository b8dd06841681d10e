/** Returns a pattern that matches what any of the alternatives matches. */
export const anyOf = (...alternatives: readonly RegExp[]): RegExp =>
  new RegExp(alternatives.map(({ source }) => source).join('|'));

/** Returns the source of a group that matches what any of the alternatives matches. */
export const oneOf = (...alternatives: readonly RegExp[]): string =>
  `(?:${anyOf(...alternatives).source})`;
