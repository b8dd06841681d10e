/** What began lasts if it holds at this share of the points since then. */
const LASTING = 0.7;

/** Whether something holds at so many points that it lasts. */
export const holdsMostly = (points: readonly boolean[]): boolean =>
  points.filter(Boolean).length >= LASTING * points.length;

/**
 * Whether what holds at the first of some points begins there and lasts: it holds mostly, and at no
 * time before the end it held at less than half of the points. A spike before it is not its
 * beginning.
 */
export function beginsAndLasts(points: readonly boolean[]): boolean {
  let lead = 0;
  return holdsMostly(points) && points.every((holds) => (lead += holds ? 1 : -1) >= 0);
}
