import type { RefObject } from 'react';
import { Icon } from '../../ui/icon.js';
import type { Mark } from './marks.js';

interface AxisProps {
  /** Its width is what marks have room on. */
  track: RefObject<HTMLDivElement | null>;
  marks: Mark[];
  /** Whether an agent has cost something. */
  hasCost: boolean;
  onFit: (() => void) | null;
}

export function Axis({ track, marks, hasCost, onFit }: AxisProps) {
  return (
    <div className="waxis">
      <div className="wname wname-head">
        <span>Agents, by who sent them</span>
        <span className="wmeta">
          {hasCost && <i>cost</i>}
          <span>time</span>
        </span>
      </div>
      <div className="wtrack" ref={track}>
        {marks
          .filter(({ isLabelled }) => isLabelled)
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
