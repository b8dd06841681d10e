import { useEffect, useReducer, useRef } from 'react';
import { isCalm } from './calm.js';
import type { RunView } from './run-context.js';

/** Shortest time between two updates of texts, which are read and not watched. */
export const CALM_MS = 200;

/**
 * The same view, a little later: header, graph and report cost more than a frame has room for, and no reader follows them
 * twenty times a second. What the reader does is shown at once.
 * @param phase in ms: parts with different phases are not drawn in the same frame
 */
export function useCalm(view: RunView, phase = 0): RunView {
  const slot = Math.floor((performance.now() + phase) / CALM_MS);
  const shown = useRef({ view, slot });
  const [, refresh] = useReducer((times: number) => times + 1, 0);
  if (slot !== shown.current.slot || !isCalm(shown.current.view, view))
    shown.current = { view, slot };
  useEffect(() => {
    if (shown.current.view === view) return;
    const timer = setTimeout(refresh, CALM_MS);
    return () => clearTimeout(timer);
  }, [view]);
  return shown.current.view;
}
