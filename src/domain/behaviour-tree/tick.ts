import type { Leaf, TickStatus, Tree, TreeMemory } from './tree.js';

export interface Tick {
  status: TickStatus;
  memory: TreeMemory;
  /** Leaves that are to be carried out now; those that were running before are named again. */
  leaves: Leaf[];
}

/**
 * One tick: walks the tree from the root, asks its conditions, and names the leaves that are to be carried out. Pure: the
 * memory given is not changed. To resume is to load the memory and tick again.
 */
export function tick(tree: Tree, before: TreeMemory, test: (condition: string) => boolean): Tick {
  const memory: TreeMemory = { ...before };
  const leaves: Leaf[] = [];

  const forget = (path: string) => {
    for (const key of Object.keys(memory)) if (key === path || key.startsWith(`${path}.`)) delete memory[key];
  };

  const visit = (node: Tree, path: string): TickStatus => {
    const known = memory[path];
    if (known && known.status !== 'running') return known.status;
    const status = run(node, path);
    memory[path] = { ...memory[path], status };
    return status;
  };

  const run = (node: Tree, path: string): TickStatus => {
    switch (node.type) {
      case 'sequence':
      case 'selector': {
        const goesOn = node.type === 'sequence' ? 'success' : 'failure';
        for (const [i, child] of node.children.entries()) {
          const status = visit(child, `${path}.${i}`);
          if (status !== goesOn) return status;
        }
        return goesOn;
      }
      case 'parallel': {
        const statuses = node.children.map((child, i) => visit(child, `${path}.${i}`));
        if (node.policy === 'all' && statuses.includes('failure')) return 'failure';
        if (node.policy === 'one' && statuses.includes('success')) return 'success';
        if (statuses.includes('running')) return 'running';
        return node.policy === 'one' ? 'failure' : 'success';
      }
      case 'repeater': {
        let count = memory[path]?.count ?? 0;
        while (count < node.max) {
          const status = visit(node.child, `${path}.0`);
          if (status === 'running' || status === node.until) {
            memory[path] = { status: 'running', count };
            return status === 'running' ? 'running' : 'success';
          }
          forget(`${path}.0`);
          count++;
        }
        return 'failure';
      }
      case 'condition':
        return test(node.name) ? 'success' : 'failure';
      case 'action':
        leaves.push({ path, type: 'action', name: node.name });
        return 'running';
      case 'llm-call':
        leaves.push({ path, type: 'llm-call', name: 'llm-call' });
        return 'running';
    }
  };

  const status = visit(tree, '0');
  return { status, memory, leaves };
}

/** The memory after a leaf was carried out. */
export function settle(memory: TreeMemory, path: string, status: 'success' | 'failure'): TreeMemory {
  return { ...memory, [path]: { status } };
}
