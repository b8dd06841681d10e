import { useEffect, useRef, type RefObject } from 'react';

/** So near to its end a log counts as read to the end. */
const NEAR_PX = 60;

/**
 * Keeps the end of a log in view while it grows, until the reader scrolls up; a question of theirs
 * leads to the end again. Scrolls the log only, and not the page around it.
 */
export function useLogEnd(
  turns: readonly unknown[],
  before: number,
): RefObject<HTMLDivElement | null> {
  const log = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  useEffect(() => {
    const shown = log.current;
    const onScroll = (): void => {
      if (shown)
        atEnd.current = shown.scrollHeight - shown.scrollTop - shown.clientHeight < NEAR_PX;
    };
    shown?.addEventListener('scroll', onScroll, { passive: true });
    return () => shown?.removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => void (atEnd.current = true), [turns.length, before]);
  useEffect(() => {
    if (atEnd.current) log.current?.scrollTo(0, log.current.scrollHeight);
  }, [turns, before]);
  return log;
}
