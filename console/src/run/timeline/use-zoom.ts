import { useEffect, useState, type RefObject } from 'react';

export interface Span {
  start: number;
  end: number;
}

const LEAST_MS = 20;
const WHEEL = 300;

/**
 * Ctrl and wheel zooms time at the pointer.
 * @returns the part that is shown (null: all), and how to show all
 */
export function useZoom(
  body: RefObject<HTMLDivElement | null>,
  whole: Span,
  nameWidth: () => number,
): [Span | null, () => void] {
  const [zoom, setZoom] = useState<Span | null>(null);
  useEffect(() => {
    const element = body.current;
    if (!element) return;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const { left, width } = element.getBoundingClientRect();
      const names = nameWidth();
      const part = Math.min(1, Math.max(0, (event.clientX - left - names) / (width - names)));
      setZoom((old) => {
        const { start, end } = old ?? whole;
        const long = Math.max(LEAST_MS, (end - start) * Math.exp(event.deltaY / WHEEL));
        if (long >= whole.end - whole.start) return null;
        const middle = start + (end - start) * part;
        return { start: middle - long * part, end: middle + long * (1 - part) };
      });
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [body, whole.start, whole.end, nameWidth]);
  return [zoom, () => setZoom(null)];
}
