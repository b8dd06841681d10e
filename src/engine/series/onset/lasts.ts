/** A change lasts if it holds at this share of the points since then. */
const LASTING = 0.7;

/** Whether something holds at enough points to last. */
export const holdsMostly = (points: readonly boolean[]): boolean =>
  points.filter(Boolean).length >= LASTING * points.length;

/**
 * Whether a condition that holds at the first of some points begins there and lasts: it holds
 * mostly, and at no time before the end at less than half of the points. An earlier spike is not
 * its beginning.
 */
export function beginsAndLasts(points: readonly boolean[]): boolean {
  let lead = 0;
  return holdsMostly(points) && points.every((holds) => (lead += holds ? 1 : -1) >= 0);
}
