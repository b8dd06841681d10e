import type { ReactNode } from 'react';
import { duration } from '../../ui/format.js';
import { MOST_TRIES, type Try } from './tries.js';

const WIDTH = 400;

interface GaugeProps {
  label: string;
  value: number;
  /** The end of the scale. */
  most: number;
  /** The threshold. */
  limit?: number | undefined;
  /** The threshold in words: `at most 90 %`. */
  rule?: string | undefined;
  text: ReactNode;
  bad: boolean;
}

/** A quantity against what it may be. */
export function Gauge({ label, value, most, limit, rule, text, bad }: GaugeProps) {
  const top = Math.max(most, value) * 1.04 || 1;
  const x = (of: number): number => (of / top) * WIDTH;
  return (
    <div className={`gauge${bad ? ' is-bad' : ''}`}>
      <div className="gauge-head">
        <span>{label}</span>
        <b>
          {text}
          {rule !== undefined && <small>, {rule}</small>}
        </b>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} 22`}
        preserveAspectRatio="none"
        role="img"
        aria-label={[`${label}: ${value} of ${most}`, rule].filter(Boolean).join(', ')}
      >
        <rect x="0" y="7" width={WIDTH} height="8" rx="4" className="g-rail" />
        <rect x="0" y="7" width={Math.max(4, x(value))} height="8" rx="4" className="g-fill" />
        {limit !== undefined && (
          <rect x={x(limit) - 1} y="2" width="2" height="18" className="g-limit" />
        )}
        {most !== limit && <rect x={x(most) - 1} y="4" width="2" height="14" className="g-most" />}
      </svg>
    </div>
  );
}

interface SpreadProps {
  label: string;
  median: number;
  least: number;
  most: number;
  limit?: number | undefined;
}

/** Least, median and most of the times of several tries, in ms. */
export function Spread({ label, median, least, most, limit }: SpreadProps) {
  const top = Math.max(most, limit ?? 0) * 1.12 || 1;
  const x = (of: number): number => (of / top) * WIDTH;
  const rule = limit === undefined ? '' : `, at most ${duration(limit)}`;
  const isSlow = limit !== undefined && median > limit;
  return (
    <div className={`gauge${isSlow ? ' is-slow' : ''}`}>
      <div className="gauge-head">
        <span>{label}</span>
        <b>
          {duration(median)}{' '}
          <small>
            median, {duration(least)} to {duration(most)}
          </small>
          {limit !== undefined && <small>, at most {duration(limit)}</small>}
        </b>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} 26`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: median ${duration(median)}, from ${duration(least)} to ${duration(most)}${rule}`}
      >
        <line x1="0" x2={WIDTH} y1="13" y2="13" className="s-rail" />
        <rect
          x={x(least)}
          y="8"
          width={Math.max(2, x(most) - x(least))}
          height="10"
          rx="3"
          className="s-range"
        />
        <rect x={x(median) - 1.5} y="3" width="3" height="20" rx="1.5" className="s-median" />
        {limit !== undefined && (
          <rect x={x(limit) - 1} y="1" width="2" height="24" className="g-limit" />
        )}
      </svg>
    </div>
  );
}

interface TriesProps {
  boxes: readonly Try[];
  tries: number;
  failed: number;
}

/** Tries as boxes with their status. */
export function Tries({ boxes, tries, failed }: TriesProps) {
  const slow = boxes.filter(({ tone }) => tone === 'slow').length;
  return (
    <div className="gauge">
      <div className="gauge-head">
        <span>Tries</span>
        <b>
          {failed > 0
            ? `${failed} of ${tries} failed`
            : slow > 0
              ? `${slow} of ${tries} too slow`
              : `${tries} of ${tries} answered well`}
        </b>
      </div>
      <div className="tries">
        {boxes.slice(0, MOST_TRIES).map(({ text, tone }, i) => (
          <span key={i} className={`try-${tone}`}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}
