import { useEffect } from 'react';
import type { RunView } from './run-context.js';

/** Moves the replay on by the run's own clock, `speed` times as fast. */
export function useReplay({ model, at, playing, speed, actions }: RunView): void {
  useEffect(() => {
    if (!playing) return;
    let time = at !== null && at < model.last ? model.timeAt(at) : model.startTime;
    let before = performance.now();
    const step = (now: number): void => {
      time += (now - before) * speed;
      before = now;
      if (time >= model.endTime) {
        actions.setPlaying(false);
        actions.seek(null);
        return;
      }
      actions.seek(model.seqAt(time));
      frame = requestAnimationFrame(step);
    };
    let frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
    // It goes on from where it began; `at` follows it.
  }, [playing, speed, model, actions]);
}
