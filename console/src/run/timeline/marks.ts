import { duration } from '../../ui/format.js';
import { roundStep } from './bars.js';

const MOST_MARKS = 7;
/** A label needs so much room, in pixels. */
const ROOM = 84;
/** A label that begins further right would stand over the edge. */
const LABEL = 42;

export interface Mark {
  label: string;
  /** In percent of the track. */
  place: number;
  /** Whether its label has room. */
  isLabelled: boolean;
}

/** What an axis shows of a run, on a track of so many pixels. */
interface Part {
  /** Where the run begins. */
  zero: number;
  start: number;
  span: number;
  width: number;
}

/** Round times of the part that is shown, as many as there is room for. */
export function marksOf({ zero, start, span, width }: Part): Mark[] {
  const step = roundStep(span, Math.max(1, Math.min(MOST_MARKS, width / ROOM)));
  const marks: Mark[] = [];
  for (
    let time = Math.ceil((start - zero) / step) * step;
    time <= start - zero + span;
    time += step
  )
    marks.push({
      label: labelOf(time),
      place: ((time + zero - start) / span) * 100,
      isLabelled: (time + zero - start) / span < 1 - LABEL / width,
    });
  return marks;
}

const labelOf = (ms: number): string =>
  ms === 0 ? '0' : duration(ms).replace('.00 s', ' s').replace('.0 s', ' s');
