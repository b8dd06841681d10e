import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isCalm } from './calm.js';
import type { RunView } from './run-context.js';

/** Shortest time between two updates of texts, which are read and not watched. */
const CALM_MS = 200;

/**
 * The same view, a little later: header, graph and report cost more than a frame has room for, and
 * no reader follows them twenty times a second. Each is drawn in a frame of its own. What the
 * reader does is shown at once.
 */
export function useCalm(view: RunView): RunView {
  const { store } = view;
  const [shown, show] = useState(view);
  const calm = isCalm(shown, view) ? shown : view;
  if (calm !== shown) show(calm);
  const latest = useRef(view);
  const drawnAt = useRef(0);
  useEffect(() => {
    latest.current = view;
  }, [view]);
  useEffect(() => {
    drawnAt.current = performance.now();
  }, [shown]);
  const isBehind = calm !== view;
  useEffect(() => {
    if (!isBehind) return;
    // In the frame itself: React would draw it after the frame, so in the next one.
    const draw = (): void => flushSync(() => show(latest.current));
    return store.takeTurn(draw, drawnAt.current + CALM_MS);
  }, [isBehind, shown, store]);
  return calm;
}
