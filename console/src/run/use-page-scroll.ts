import { useEffect, useLayoutEffect, useRef } from 'react';
import type { RunView } from './run-context.js';

/**
 * How far the top of the part is from the foot of the tabs, which stay at the top of a page that is
 * scrolled.
 */
function hiddenAbove(page: HTMLElement): number {
  const tabs = page.querySelector<HTMLElement>('.mobiletabs')?.offsetHeight ?? 0;
  const part = page.querySelector('.work');
  if (tabs === 0 || !part) return 0;
  return part.getBoundingClientRect().top - page.getBoundingClientRect().top - tabs;
}

/**
 * Where a narrow page is scrolled to; a wide one does not scroll. What is picked, and every part
 * but the report, is shown from its top; the report from where it was left.
 */
export function usePageScroll({ narrow, side, selected, node }: RunView): void {
  const isReport = narrow === 'report' && side === 'report';
  const wasReport = useRef(isReport);
  const left = useRef(0);
  useEffect(() => {
    const page = document.getElementById('main');
    const onScroll = (): void => {
      if (page && wasReport.current) left.current = page.scrollTop;
    };
    page?.addEventListener('scroll', onScroll, { passive: true });
    return () => page?.removeEventListener('scroll', onScroll);
  }, []);
  useLayoutEffect(() => {
    const page = document.getElementById('main');
    if (!page) return;
    if (isReport && !wasReport.current) page.scrollTop = left.current;
    if (!isReport) page.scrollTop += hiddenAbove(page);
    wasReport.current = isReport;
  }, [isReport, narrow, selected, node]);
}
