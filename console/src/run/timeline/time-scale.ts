/** How times become places on a timeline. */
export interface TimeScale {
  start: number;
  span: number;
  /** Of the scale, in percent of the track: at least 100. */
  width: number;
  /** The place of a time on the scale, in percent. */
  place: (time: number) => number;
}

/** The length of a scale is a power of this, in ms. */
const BASE = 8;

/**
 * A scale that begins where the view begins and ends behind it. It has the same length for many
 * spans: if an axis grows, the scale gets narrower, and what stands on it keeps its place.
 */
export function scaleOf(start: number, span: number): TimeScale {
  const long = BASE ** Math.ceil(Math.log(span) / Math.log(BASE));
  return {
    start,
    span,
    width: (long / span) * 100,
    place: (time) => ((time - start) / long) * 100,
  };
}
