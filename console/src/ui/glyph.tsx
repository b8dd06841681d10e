import type { ReactNode } from 'react';
import type { GlyphState } from './glyph-state.js';

type Shape =
  'tick' | 'note' | 'triangle' | 'cross' | 'target' | 'question' | 'turning' | 'dash' | 'circle';

const SHAPE_OF: Record<GlyphState, Shape> = {
  ok: 'tick',
  completed: 'tick',
  healthy: 'tick',
  info: 'note',
  warning: 'triangle',
  partial: 'triangle',
  critical: 'cross',
  failed: 'cross',
  root: 'target',
  unchecked: 'question',
  inconclusive: 'question',
  running: 'turning',
  examining: 'turning',
  cancelled: 'dash',
  cut: 'dash',
  unknown: 'circle',
  queued: 'circle',
};

const ring = (look: string): ReactNode => <circle cx="8" cy="8" r="6.4" className={look} />;
const line = (path: string, look = 'ink'): ReactNode => <path d={path} className={look} />;

const SHAPES: Record<Shape, ReactNode> = {
  tick: (
    <>
      <circle cx="8" cy="8" r="7" className="fill" />
      {line('M4.8 8.3l2.2 2.2 4.3-4.8')}
    </>
  ),
  note: (
    <>
      {ring('dash solid')}
      {line('M8 7.4v3.4M8 5.1v.1', 'line')}
    </>
  ),
  triangle: (
    <>
      {line('M8 1.2L15.4 14.3H.6z', 'fill')}
      {line('M8 6v3.6M8 11.8v.1')}
    </>
  ),
  cross: (
    <>
      <rect x="1" y="1" width="14" height="14" rx="3.5" className="fill" />
      {line('M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4')}
    </>
  ),
  target: (
    <>
      <circle cx="8" cy="8" r="7.2" className="fill" />
      <circle cx="8" cy="8" r="4.4" className="ring" />
      <circle cx="8" cy="8" r="1.8" className="dot" />
    </>
  ),
  question: (
    <>
      {ring('dash')}
      {line('M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.5v.1', 'line')}
    </>
  ),
  turning: (
    <>
      {ring('dash')}
      <circle cx="8" cy="8" r="2.4" className="dot" />
    </>
  ),
  dash: (
    <>
      {ring('dash solid')}
      {line('M5 8h6', 'line')}
    </>
  ),
  circle: ring('dash'),
};

/** Says a state by its shape before its colour does. */
export function Glyph({ state, size = 14 }: { state: GlyphState; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      className={`glyph g-${state}`}
    >
      {SHAPES[SHAPE_OF[state]]}
    </svg>
  );
}
