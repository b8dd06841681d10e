import { useEffect, useRef } from 'react';
import type { RunView } from './run-context.js';
import type { RunStore } from './run-store.js';

const TICK_MS = 100;
/** Pings come every 15 s: later than this, the stream is quiet. */
const QUIET_MS = 16_500;
/** Time axes of live runs are at least so long, and grow by a quarter. */
const LEAST_AXIS_MS = 2_000;
const GROWTH = 1.25;

/**
 * The time by the log's clock, and where time axes end. Axes grow in steps, so that what has ended
 * does not move with every frame; while the page is not connected, clocks stand still.
 */
export function useRunClock(
  store: RunStore,
  at: number | null,
): Pick<RunView, 'endTime' | 'axisEnd' | 'quietSeconds'> {
  const { model } = store;
  const live = store.isLive && model.last > 0;
  const linked = store.link.state === 'open';
  useEffect(() => {
    if (!live || !linked) return;
    const timer = setInterval(store.tick, TICK_MS);
    return () => clearInterval(timer);
  }, [store, live, linked]);
  const now = linked ? Date.now() : store.heardAt;
  const skew = useRef<number | null>(null);
  if (live) skew.current = Math.max(skew.current ?? -Infinity, model.endTime - now);
  const axis = useRef(0);
  const liveEnd = live ? Math.max(model.endTime, now + (skew.current ?? 0)) : model.endTime;
  const needed = liveEnd - model.startTime;
  if (!live) axis.current = needed;
  else if (needed > axis.current || axis.current > needed * 3)
    axis.current = Math.max(LEAST_AXIS_MS, needed * GROWTH);
  const quietMs = live && linked ? now - store.heardAt : 0;
  return {
    endTime: at === null ? liveEnd : model.timeAt(at),
    axisEnd: model.startTime + axis.current,
    quietSeconds: quietMs > QUIET_MS ? Math.round(quietMs / 1_000) : 0,
  };
}
