/** The steps of a path: `teams[0].workers[1]["a.b"]` is `['teams', 0, 'workers', 1, 'a.b']`. */
export const stepsOf = (path: string): (string | number)[] =>
  [...path.matchAll(/\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|([^.[\]]+)/g)].map(
    ([, index, quoted, name]) => (index === undefined ? (quoted ?? name ?? '') : Number(index)),
  );

/**
 * Sorts faults in the order in which their paths stand in a document. A path that is missing in the
 * document stands where its nearest parent begins.
 * @param document as parsed from JSON or YAML: its keys keep their order
 */
export function inDocumentOrder<Found extends { path: string }>(
  document: unknown,
  found: readonly Found[],
): Found[] {
  const keys = new Map<object, ReadonlyMap<string, number>>();
  const positionOf = (path: string): number[] => {
    const places: number[] = [];
    let at = document;
    for (const step of stepsOf(path)) {
      if (typeof at !== 'object' || at === null) break;
      const known = keys.get(at) ?? new Map(Object.keys(at).map((key, i) => [key, i]));
      keys.set(at, known);
      const place = known.get(String(step));
      if (place === undefined) break;
      places.push(place);
      at = (at as Record<string, unknown>)[step];
    }
    return places;
  };
  return found
    .map((each) => ({ each, place: positionOf(each.path) }))
    .sort((a, b) => compare(a.place, b.place))
    .map(({ each }) => each);
}

/** A parent stands before what is in it. */
function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, place] of a.entries()) {
    const other = b[i];
    if (other === undefined) return 1;
    if (place !== other) return place - other;
  }
  return a.length - b.length;
}
