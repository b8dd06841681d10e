import type { TraceSpan } from './trace-tree.js';

/** A call as an item of the span that makes it. */
export const itemOfCall = ({ operation }: Pick<TraceSpan, 'operation'>): string =>
  `call ${operation}`;

/**
 * Whether a span returned an answer to its caller: the nearest span above it that always makes
 * another call afterwards makes it now, and neither it nor those below it fail.
 * @param alwaysIn the items that all spans of an operation have in normal time
 */
export function callerGoesOn(
  span: TraceSpan,
  trace: readonly TraceSpan[],
  alwaysIn: (operation: string) => readonly string[],
): boolean {
  let below = span;
  while (below.error === undefined) {
    const above = trace.find(({ children }) => children.includes(below));
    if (above === undefined || above.error !== undefined) return false;
    const end = below.start + below.durationMs;
    const always = alwaysIn(above.operation);
    const isNext = (child: TraceSpan) => child.start >= end && always.includes(itemOfCall(child));
    if (above.children.some(isNext)) return true;
    below = above;
  }
  return false;
}
