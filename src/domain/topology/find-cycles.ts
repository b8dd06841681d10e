/**
 * Finds the cycles of a directed graph, one for each edge that closes one in a depth-first search.
 * Each cycle is returned once and starts at its first node; without those edges there are none.
 * O(nodes + edges), at most `most` cycles.
 *
 * @param edges for each node the indexes of its targets, without itself
 * @returns each cycle as node indexes in order, without repeating the first
 */
export function findCycles(edges: readonly (readonly number[])[], most: number): number[][] {
  const cycles: number[][] = [];
  const state: ('on path' | 'done' | undefined)[] = [];
  const path: number[] = [];
  const next: number[] = [];

  for (let start = 0; start < edges.length; start++) {
    if (state[start] === undefined) enter(start);
    // Iterative, because the depth comes from the caller's data.
    while (path.length > 0) {
      const node = path.at(-1) as number;
      const step = next.at(-1) as number;
      const target = edges[node]?.[step];
      if (target === undefined) leave(node);
      else {
        next[next.length - 1] = step + 1;
        if (state[target] === undefined) enter(target);
        else if (state[target] === 'on path' && cycles.length < most)
          cycles.push(path.slice(path.indexOf(target)));
      }
    }
  }
  return cycles;

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
