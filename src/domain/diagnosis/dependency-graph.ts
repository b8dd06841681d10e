import type { TopologyNode } from '../topology/topology.js';

/** The input of reasoning about a topology: nodes and their dependencies. */
export type DependencyNode = Pick<TopologyNode, 'id' | 'name' | 'dependsOn'> & { kind?: string };

/**
 * The nodes of a topology by number, so that each node comes after all its dependencies. A
 * dependency that would close a cycle is omitted (a topology has none: contract section 9), and so
 * is one on an unknown node.
 */
export class DependencyGraph {
  /** Dependencies first. */
  readonly nodes: readonly DependencyNode[];
  /** The numbers of the direct dependencies of a node, all smaller than its own. */
  readonly dependencies: readonly (readonly number[])[];
  private readonly numbers = new Map<string, number>();

  /** @param more ids that are nodes too, if the topology does not have them */
  constructor(topology: readonly DependencyNode[], more: Iterable<string> = []) {
    const byId = new Map(topology.map((node) => [node.id, node]));
    for (const id of more) if (!byId.has(id)) byId.set(id, { id, name: id, dependsOn: [] });
    const nodes: DependencyNode[] = [];
    const open = new Set<string>();
    for (const root of byId.values()) {
      // An explicit stack: a chain of dependencies may be longer than the call stack is deep.
      const stack = open.has(root.id) ? [] : [{ node: root, next: root.dependsOn.values() }];
      open.add(root.id);
      for (let top = stack.at(-1); top; top = stack.at(-1)) {
        const { value: id, done } = top.next.next();
        if (done) {
          this.numbers.set(top.node.id, nodes.length);
          nodes.push(top.node);
          stack.pop();
          continue;
        }
        const node = open.has(id) ? undefined : byId.get(id);
        if (!node) continue;
        open.add(id);
        stack.push({ node, next: node.dependsOn.values() });
      }
    }
    this.nodes = nodes;
    this.dependencies = nodes.map(({ dependsOn }, number) => {
      const earlier = new Set<number>();
      for (const id of dependsOn) {
        const dependency = this.numbers.get(id) ?? Infinity;
        if (dependency < number) earlier.add(dependency);
      }
      return [...earlier];
    });
  }

  /** @throws RangeError for an unknown node */
  numberOf(id: string): number {
    const number = this.numbers.get(id);
    if (number === undefined) throw new RangeError(`no node "${id}"`);
    return number;
  }

  /**
   * For each node, the marked nodes that it depends on, directly or not. Processes words of 32
   * nodes, so that the work is a small part of edges × nodes.
   * @returns numbers of marked nodes, the nearest first as far as their order shows it
   */
  below(isMarked: (number: number) => boolean): (number: number) => number[] {
    const marked = this.nodes.flatMap((_, number) => (isMarked(number) ? [number] : []));
    const bitOf = new Map(marked.map((number, bit) => [number, bit]));
    const words = Math.ceil(marked.length / 32);
    const reached: Uint32Array[] = [];
    for (const dependencies of this.dependencies) {
      const bits = new Uint32Array(words);
      for (const dependency of dependencies) {
        const further = reached[dependency];
        for (let i = 0; i < words; i++) bits[i] = (bits[i] ?? 0) | (further?.[i] ?? 0);
        const bit = bitOf.get(dependency);
        if (bit !== undefined) bits[bit >> 5] = (bits[bit >> 5] ?? 0) | (1 << (bit & 31));
      }
      reached.push(bits);
    }
    return (number) => {
      const bits = reached[number];
      return marked
        .filter((_, bit) => (((bits?.[bit >> 5] ?? 0) >>> (bit & 31)) & 1) === 1)
        .toReversed();
    };
  }

  /**
   * The longest path along dependencies to a node, over given nodes: from the one furthest
   * upstream. Only the node if there is no other.
   * @param over in the order of the graph
   */
  longestWay(to: number, over: readonly number[]): number[] {
    const lengths = new Uint32Array(this.nodes.length);
    const following = new Map<number, number>();
    lengths[to] = 1;
    let start = to;
    for (const each of over) {
      let longest = 0;
      for (const next of this.dependencies[each] ?? []) {
        const length = lengths[next] ?? 0;
        if (length > 0 && length >= longest) {
          longest = length;
          following.set(each, next);
        }
      }
      if (longest > 0) lengths[each] = longest + 1;
      if ((lengths[each] ?? 0) > (lengths[start] ?? 0)) start = each;
    }
    const way: number[] = [];
    let number: number | undefined = start;
    while (number !== undefined) {
      way.push(number);
      number = following.get(number);
    }
    return way;
  }
}
