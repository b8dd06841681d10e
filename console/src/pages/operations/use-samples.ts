import { useEffect, useRef, useState } from 'react';
import { parseMetrics, sampleOf, type Metrics, type Sample } from './metrics.js';

/** A minute and a half, a look a second. */
const KEPT = 90;

/** The figures as they come, and their history. @param readAt ms: when the text was read */
export function useSamples(
  text: string | undefined,
  readAt: number,
): { metrics: Metrics | null; samples: readonly Sample[] } {
  const before = useRef<{ at: number; cpuSeconds: number } | null>(null);
  const [state, setState] = useState<{ metrics: Metrics | null; samples: readonly Sample[] }>({
    metrics: null,
    samples: [],
  });
  useEffect(() => {
    if (text === undefined || before.current?.at === readAt) return;
    const metrics = parseMetrics(text);
    const { sample, cpuSeconds } = sampleOf(metrics, readAt, before.current);
    before.current = { at: readAt, cpuSeconds };
    setState(({ samples }) => ({ metrics, samples: [...samples.slice(1 - KEPT), sample] }));
  }, [text, readAt]);
  return state;
}
