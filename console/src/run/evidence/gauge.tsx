import type { ReactNode } from 'react';
import { duration } from '../../ui/format.js';

const WIDTH = 400;

interface GaugeProps {
  label: string;
  value: number;
  /** The end of the scale. */
  most: number;
  /** The threshold. */
  limit?: number | undefined;
  text: ReactNode;
  bad: boolean;
}

/** A quantity against what it may be. */
export function Gauge({ label, value, most, limit, text, bad }: GaugeProps) {
  const top = Math.max(most, value) * 1.04 || 1;
  const x = (of: number): number => (of / top) * WIDTH;
  const said = limit === undefined ? '' : `, at most ${Math.round(limit * 10) / 10}`;
  return (
    <div className={`gauge${bad ? ' is-bad' : ''}`}>
      <div className="gauge-head">
        <span>{label}</span>
        <b>{text}</b>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} 22`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: ${value} of ${most}${said}`}
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
  const slow = limit === undefined ? '' : `, slow from ${duration(limit)}`;
  return (
    <div className="gauge">
      <div className="gauge-head">
        <span>{label}</span>
        <b>
          {duration(median)}{' '}
          <small>
            median, {duration(least)} to {duration(most)}
          </small>
        </b>
      </div>
      <svg
        viewBox={`0 0 ${WIDTH} 26`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}: median ${duration(median)}, from ${duration(least)} to ${duration(most)}${slow}`}
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
  /** What is written on each try. */
  boxes: readonly string[];
  tries: number;
  failed: number;
}

/** Tries are shown one by one up to so many. */
const MOST_BOXES = 24;

const WELL = /^(?:[23]\d\d|connected)\b/;

/** The tries of an older log, which counts them by status and not in their order. */
export function boxesOf(statuses: Record<string, unknown>, tries: number): string[] {
  const boxes = Object.entries(statuses).flatMap(([status, times]) =>
    Array.from({ length: Math.min(Number(times) || 0, MOST_BOXES) }, () => status),
  );
  while (boxes.length < Math.min(tries, MOST_BOXES)) boxes.push('no answer');
  return boxes;
}

/** Tries as boxes with their status. */
export function Tries({ boxes, tries, failed }: TriesProps) {
  return (
    <div className="gauge">
      <div className="gauge-head">
        <span>Tries</span>
        <b>
          {failed === 0 ? `${tries} of ${tries} answered well` : `${failed} of ${tries} failed`}
        </b>
      </div>
      <div className="tries">
        {boxes.slice(0, MOST_BOXES).map((status, i) => (
          <span key={i} className={WELL.test(status) ? 'try-ok' : 'try-bad'}>
            {status}
          </span>
        ))}
      </div>
    </div>
  );
}
