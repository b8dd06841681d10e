import { useRef } from 'react';
import type { GraphNode } from './graph-node.js';
import { CARD, type Place } from './layout.js';
import type { CardLook, CardNode, NodeState } from './node-card.js';

/**
 * All cards have one size. Without it, React Flow would measure every card that has changed, and
 * take its edges away until then.
 */
const SIZED = { ...CARD, measured: CARD } satisfies Partial<CardNode>;

/**
 * The cards; a card that says the same as before is the same object, so that it is not drawn again.
 */
export function useCards(
  nodes: readonly GraphNode[],
  stateOf: (id: string) => NodeState,
  lookOf: (node: GraphNode) => CardLook & { position: Place },
): CardNode[] {
  const known = useRef(new Map<string, { key: string; card: CardNode }>());
  const before = useRef<CardNode[]>([]);
  const cards = nodes.map((node) => {
    const { position, ...look } = lookOf(node);
    const data = { ...stateOf(node.id), ...look, name: node.name, kind: node.kind };
    const key = JSON.stringify([data, position]);
    const old = known.current.get(node.id);
    if (old?.key === key) return old.card;
    const card: CardNode = { id: node.id, type: 'card', position, data, ...SIZED };
    known.current.set(node.id, { key, card });
    return card;
  });
  const same =
    cards.length === before.current.length && cards.every((card, i) => card === before.current[i]);
  if (!same) before.current = cards;
  return before.current;
}
