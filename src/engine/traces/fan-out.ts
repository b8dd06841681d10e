import type { Trace, TraceSpan } from './trace-tree.js';

/** Fewer requests than this do not show how often one calls another node. */
const LEAST_REQUESTS = 20;
/** A factor of calls that is not chance. */
const MORE = 2;

interface Counts {
  requests: number;
  calls: number;
}

/**
 * Nodes whose requests call a node at least twice as often as before: they cause the load of that
 * node. A call is counted at the node at which it is placed.
 */
export function callsMoreOften(traces: readonly Trace[], callee: string): string[] {
  const now = countCalls(traces, callee, ({ phase }) => phase === 'incident');
  const usual = countCalls(traces, callee, ({ phase }) => phase !== 'incident');
  return [...now].flatMap(([caller, { requests, calls }]) => {
    const before = usual.get(caller);
    if (before === undefined || Math.min(requests, before.requests) < LEAST_REQUESTS) return [];
    const share = (calls + 1) / requests;
    return calls > 0 && share >= (MORE * (before.calls + 1)) / before.requests ? [caller] : [];
  });
}

/** By caller: requests that reached it, and its calls of the node. */
function countCalls(
  traces: readonly Trace[],
  callee: string,
  isOf: (trace: Trace) => boolean,
): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  const of = ({ node = '' }: TraceSpan): Counts => {
    const known = counts.get(node) ?? { requests: 0, calls: 0 };
    counts.set(node, known);
    return known;
  };
  for (const { spans } of traces.filter(isOf)) {
    const inner = new Set<TraceSpan>();
    for (const span of spans) {
      if (!inner.has(span)) of(span).requests += 1;
      for (const child of span.children) {
        if (child.node === span.node) inner.add(child);
        else if (child.node === callee) of(span).calls += 1;
      }
    }
  }
  counts.delete(callee);
  return counts;
}
