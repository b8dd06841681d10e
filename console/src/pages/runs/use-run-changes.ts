import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { BASE } from '../../api/base.js';
import type { Page, RunItem } from '../../api/types.js';

/**
 * A page that is not seen gives up its stream after so long: a browser has six connections to an
 * origin.
 */
const HIDDEN_MS = 5_000;
/** A stream that was refused is asked for again after so long. */
const REFUSED_MS = 15_000;

/**
 * Keeps the lists of runs as the service changes them.
 * @returns whether the stream is open; while it is not, lists are polled
 */
export function useRunChanges(): boolean {
  const queries = useQueryClient();
  const [linked, setLinked] = useState(false);
  const [seen, setSeen] = useState(true);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onChange = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(() => setSeen(false), HIDDEN_MS);
      else setSeen(true);
    };
    document.addEventListener('visibilitychange', onChange);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onChange);
    };
  }, []);
  useEffect(() => {
    if (!seen) return;
    const stream = new EventSource(`${BASE}/executions/changes`);
    const reread = (): void => void queries.invalidateQueries({ queryKey: ['runs'] });
    // What changed before the stream was open is in the list that is read now.
    stream.onopen = () => (setLinked(true), reread());
    let timer: ReturnType<typeof setTimeout> | undefined;
    stream.onerror = () => {
      setLinked(false);
      // The browser reconnects automatically, but not after a refusal.
      if (stream.readyState === EventSource.CLOSED)
        timer = setTimeout(() => setAttempt((before) => before + 1), REFUSED_MS);
    };
    stream.addEventListener('run', ({ data }: MessageEvent<string>) => {
      const run = JSON.parse(data) as RunItem;
      let placed = false;
      queries.setQueriesData<Page<RunItem>>({ queryKey: ['runs'] }, (page) => {
        const known = page?.items.find(({ runId }) => runId === run.runId);
        // Whether it still fits the filters, and how it ended, the service knows.
        if (!page || known?.status !== run.status) return page;
        placed = true;
        return { ...page, items: page.items.map((item) => (item === known ? run : item)) };
      });
      if (!placed) reread();
    });
    return () => {
      clearTimeout(timer);
      stream.close();
      setLinked(false);
    };
  }, [queries, seen, attempt]);
  return linked;
}
