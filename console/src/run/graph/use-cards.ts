import { Position } from '@xyflow/react';
import { useRef } from 'react';
import type { Size } from '../../ui/use-size.js';
import type { GraphNode } from './graph-node.js';
import type { Place } from './layout.js';
import type { CardLook, CardNode, NodeState } from './node-card.js';

interface Cards {
  nodes: readonly GraphNode[];
  /** Of every card. */
  size: Size;
  /** Whether what a node depends on stands below it, and not at its right. */
  downwards: boolean;
  /** How many letters of a name fit a line. */
  letters: number;
}

/**
 * All cards have one size. Without it and the ends of edges, React Flow would measure every card
 * that has changed, and take its edges away until then; and it would not see that the ends have
 * moved.
 */
function shapeOf({ size, downwards }: Cards): Partial<CardNode> {
  const { width, height } = size;
  const end = (type: 'source' | 'target', position: Position, x: number, y: number) => ({
    type,
    position,
    x,
    y,
    width: 0,
    height: 0,
  });
  return {
    ...size,
    measured: size,
    handles: downwards
      ? [
          end('target', Position.Top, width / 2, 0),
          end('source', Position.Bottom, width / 2, height),
        ]
      : [
          end('target', Position.Left, 0, height / 2),
          end('source', Position.Right, width, height / 2),
        ],
  };
}

/**
 * The cards; a card that says the same as before is the same object, so that it is not drawn again.
 */
export function useCards(
  cards: Cards,
  stateOf: (id: string) => NodeState,
  lookOf: (node: GraphNode) => CardLook & { position: Place },
): CardNode[] {
  const known = useRef(new Map<string, { key: string; card: CardNode }>());
  const before = useRef<CardNode[]>([]);
  const { nodes, size, downwards, letters } = cards;
  const shape = shapeOf(cards);
  const drawn = nodes.map((node) => {
    const { position, ...look } = lookOf(node);
    const data = {
      ...stateOf(node.id),
      ...look,
      downwards,
      letters,
      name: node.name,
      kind: node.kind,
    };
    const key = JSON.stringify([data, position, size]);
    const old = known.current.get(node.id);
    if (old?.key === key) return old.card;
    const card: CardNode = { id: node.id, type: 'card', position, data, ...shape };
    known.current.set(node.id, { key, card });
    return card;
  });
  const same =
    drawn.length === before.current.length && drawn.every((card, i) => card === before.current[i]);
  if (!same) before.current = drawn;
  return before.current;
}
