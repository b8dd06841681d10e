import type { ConversationNode } from '../api/types.js';

/** The way from the first question to `head`. */
export function wayTo(nodes: readonly ConversationNode[], head: string | null): ConversationNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const way: ConversationNode[] = [];
  for (
    let node = byId.get(head ?? '');
    node && way.length < nodes.length;
    node = byId.get(node.parentId ?? '')
  )
    way.unshift(node);
  return way;
}

/** The last exchange below a node, along its latest branches. */
export function leafBelow(nodes: readonly ConversationNode[], id: string): string {
  let leaf = id;
  for (let depth = 0; depth < nodes.length; depth++) {
    const child = nodes.findLast(({ parentId }) => parentId === leaf);
    if (!child) return leaf;
    leaf = child.id;
  }
  return leaf;
}

/** Exchanges that go on from the same one: the branches at a question. */
export const branchesAt = (
  nodes: readonly ConversationNode[],
  { parentId }: ConversationNode,
): ConversationNode[] => nodes.filter((node) => node.parentId === parentId);
