/**
 * The circles of a directed graph, one for each edge that closes one on a depth-first walk: each is told once, from the
 * node of it that comes first, and none are left once those edges are gone. O(nodes + edges), up to `most` circles.
 *
 * @param edges for each node the indexes that it points to, without itself
 * @returns each circle as node indexes in walking order, without the first repeated at the end
 */
export function findCircles(edges: readonly (readonly number[])[], most: number): number[][] {
  const circles: number[][] = [];
  const state: ('on path' | 'done' | undefined)[] = [];
  const path: number[] = [];
  const next: number[] = [];

  for (let start = 0; start < edges.length; start++) {
    if (state[start] === undefined) enter(start);
    // A walk by hand, not by recursion: its depth is the caller's data.
    while (path.length > 0) {
      const node = path.at(-1) as number;
      const step = next.at(-1) as number;
      const target = edges[node]?.[step];
      if (target === undefined) leave(node);
      else {
        next[next.length - 1] = step + 1;
        if (state[target] === undefined) enter(target);
        else if (state[target] === 'on path' && circles.length < most)
          circles.push(path.slice(path.indexOf(target)));
      }
    }
  }
  return circles;

  function enter(node: number): void {
    state[node] = 'on path';
    path.push(node);
    next.push(0);
  }

  function leave(node: number): void {
    state[node] = 'done';
    path.pop();
    next.pop();
  }
}
