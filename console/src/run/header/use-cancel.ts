import { useCallback, useEffect, useRef, useState } from 'react';
import { call } from '../../api/http.js';
import type { RunDetail } from '../../api/types.js';
import type { RunStore } from '../run-store.js';

/** What became of a wish to cancel. Times in ms. */
export type CancelState =
  | { state: 'idle' | 'asking' }
  | { state: 'refused'; message: string }
  | { state: 'sealed'; tookMs: number; quietMs: number | null; stopping: number };

const POLL_MS = 300;
/** If no terminal event has arrived by then, the stream is no longer trusted. */
const TRUST_MS = 1_000;

export function useCancel(store: RunStore): [CancelState, () => void] {
  const [state, setState] = useState<CancelState>({ state: 'idle' });
  const here = useRef(true);
  useEffect(() => () => void (here.current = false), []);
  const cancel = useCallback(async () => {
    setState({ state: 'asking' });
    const began = performance.now();
    try {
      await call('POST', 'executions/cancel', { body: { runId: store.runId } });
    } catch (error) {
      setState({ state: 'refused', message: (error as Error).message });
      return;
    }
    const sealed = performance.now();
    const tookMs = sealed - began;
    setState({ state: 'sealed', tookMs, quietMs: null, stopping: 0 });
    setTimeout(() => {
      if (here.current && !store.model.terminal) store.start();
    }, TRUST_MS);
    while (here.current) {
      const run = await call<RunDetail>('GET', `executions/${store.runId}`).catch(() => undefined);
      const quietMs = run?.quiesced ? performance.now() - sealed : null;
      setState({ state: 'sealed', tookMs, quietMs, stopping: run?.stopping.length ?? 0 });
      if (quietMs !== null) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }, [store]);
  return [state, () => void cancel()];
}
