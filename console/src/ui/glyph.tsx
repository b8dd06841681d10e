import type { ReactNode } from 'react';
import type { Health } from '../model/types.js';

export type GlyphState =
  | Health
  | 'running'
  | 'examining'
  | 'completed'
  | 'healthy'
  | 'partial'
  | 'failed'
  | 'inconclusive'
  | 'cancelled'
  | 'queued'
  | 'cut';

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
      {shapeOf(state)}
    </svg>
  );
}

function shapeOf(state: GlyphState): ReactNode {
  switch (state) {
    case 'ok':
    case 'completed':
    case 'healthy':
      return (
        <>
          <circle cx="8" cy="8" r="7" className="fill" />
          <path d="M4.8 8.3l2.2 2.2 4.3-4.8" className="ink" />
        </>
      );
    case 'warning':
    case 'partial':
      return (
        <>
          <path d="M8 1.2L15.4 14.3H.6z" className="fill" />
          <path d="M8 6v3.6M8 11.8v.1" className="ink" />
        </>
      );
    case 'critical':
    case 'failed':
      return (
        <>
          <rect x="1" y="1" width="14" height="14" rx="3.5" className="fill" />
          <path d="M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4" className="ink" />
        </>
      );
    case 'root':
      return (
        <>
          <circle cx="8" cy="8" r="7.2" className="fill" />
          <circle cx="8" cy="8" r="4.4" className="ring" />
          <circle cx="8" cy="8" r="1.8" className="dot" />
        </>
      );
    case 'unchecked':
    case 'inconclusive':
      return (
        <>
          <circle cx="8" cy="8" r="6.4" className="dash" />
          <path d="M6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.6.3-.8.6-.8 1.2M8 11.5v.1" className="line" />
        </>
      );
    case 'running':
    case 'examining':
      return (
        <>
          <circle cx="8" cy="8" r="6.4" className="dash spin" />
          <circle cx="8" cy="8" r="2.4" className="dot" />
        </>
      );
    case 'cancelled':
    case 'cut':
      return (
        <>
          <circle cx="8" cy="8" r="6.4" className="dash solid" />
          <path d="M5 8h6" className="line" />
        </>
      );
    case 'unknown':
    case 'queued':
      return <circle cx="8" cy="8" r="6.4" className="dash" />;
  }
}
