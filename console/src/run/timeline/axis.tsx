import { duration } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { roundStep } from './bars.js';

const MARKS = 7;
/** Marks further right would stand over the edge. */
const LAST_LABEL = 96.5;

export interface Mark {
  label: string;
  /** In percent of the track. */
  place: number;
}

/** Round times of the part that is shown. */
export function marksOf(zero: number, start: number, span: number): Mark[] {
  const step = roundStep(span, MARKS);
  const marks: Mark[] = [];
  for (
    let time = Math.ceil((start - zero) / step) * step;
    time <= start - zero + span;
    time += step
  )
    marks.push({ label: labelOf(time), place: ((time + zero - start) / span) * 100 });
  return marks;
}

const labelOf = (ms: number): string =>
  ms === 0 ? '0' : duration(ms).replace('.00 s', ' s').replace('.0 s', ' s');

export function Axis({ marks, onFit }: { marks: Mark[]; onFit: (() => void) | null }) {
  return (
    <div className="waxis">
      <div className="wname wname-head">
        <span>Agents, by who sent them</span>
        <span className="wmeta">
          <i>cost</i>
          <span>time</span>
        </span>
      </div>
      <div className="wtrack">
        {marks
          .filter(({ place }) => place < LAST_LABEL)
          .map(({ label, place }) => (
            <span key={label} className="wmark" style={{ left: `${place}%` }}>
              {label}
            </span>
          ))}
        {onFit && (
          <button className="chip chip-small wreset" onClick={onFit}>
            <Icon name="fit" size={11} /> Fit
          </button>
        )}
      </div>
    </div>
  );
}

/** Lines of the marks, and the time that is looked at. */
export function Grid({ marks, now, live }: { marks: Mark[]; now: number | null; live: boolean }) {
  return (
    <div className="wgrid">
      {marks.map(({ label, place }) => (
        <span key={label} style={{ left: `${place}%` }} />
      ))}
      {now !== null && now <= 100 && (
        <span className={`wnow${live ? ' is-live' : ''}`} style={{ left: `${now}%` }} />
      )}
    </div>
  );
}
