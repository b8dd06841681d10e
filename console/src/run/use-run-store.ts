import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { RunStore } from './run-store.js';

/**
 * A page that is not seen for so long gives its stream back: a browser has six connections to an
 * origin.
 */
const HIDDEN_MS = 5_000;

/** The run of a page, followed while the page is there and seen. */
export function useRunStore(runId: string): RunStore {
  const store = useMemo(() => new RunStore(runId), [runId]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let paused = false;
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) {
        timer = setTimeout(() => {
          if (store.hasEnd) return;
          paused = true;
          store.stop();
        }, HIDDEN_MS);
      } else if (paused) {
        paused = false;
        store.start();
      }
    };
    store.start();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisibility);
      store.stop();
    };
  }, [store]);
  useSyncExternalStore(store.subscribe, store.snapshot);
  return store;
}
