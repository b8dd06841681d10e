import { useEffect, useRef, useState } from 'react';
import type { ServiceStatus } from '../../api/types.js';
import { parseMetrics, sampleOf, type Sample } from './metrics.js';

/** A minute and a half, a look a second. */
const KEPT = 90;

/** A figure as it is now, with its history; null before the first look. */
export interface Figures extends Sample {
  openRuns: number;
  active: number;
}

/** The figures as they come. @param readAt ms: when the text of `/metrics` was read */
export function useSamples(
  text: string | undefined,
  readAt: number,
  status: ServiceStatus | undefined,
): readonly Figures[] {
  const before = useRef<{ at: number; cpuSeconds: number } | null>(null);
  const latest = useRef(status);
  const [samples, setSamples] = useState<readonly Figures[]>([]);
  useEffect(() => {
    latest.current = status;
  }, [status]);
  useEffect(() => {
    if (text === undefined || before.current?.at === readAt) return;
    const { sample, cpuSeconds } = sampleOf(parseMetrics(text), readAt, before.current);
    before.current = { at: readAt, cpuSeconds };
    const { openRuns = 0, queues = [] } = latest.current ?? {};
    const active = queues.reduce((sum, queue) => sum + queue.active, 0);
    setSamples((past) => [...past.slice(1 - KEPT), { ...sample, openRuns, active }]);
  }, [text, readAt]);
  return samples;
}
