import { useMemo } from 'react';
import type { Health } from '../../model/types.js';
import type { GraphNode } from './graph-node.js';
import { layoutOf, shapeOf, type Place, type Spacing } from './layout.js';
import { tilesOf } from './tiles.js';

const CARD = { width: 26, height: 14 };
const SPACING: Spacing = { card: CARD, nodes: 9, ranks: 46 };
const MOST_ZOOM = 1.4;
/** Below this zoom cards cannot be told from each other. */
const LEAST_ZOOM = 0.3;
/** A topology of more nodes is not laid out: its cards would be too small. */
const MOST_NODES = 150;

interface MiniGraphProps {
  nodes: readonly GraphNode[];
  healthOf: (id: string) => Health;
  width: number;
  height: number;
}

/**
 * A topology without words, in the colours of its health: its graph, or, if that is too large, a
 * square for each node, those that nothing depends on at the left.
 */
export function MiniGraph({ nodes, healthOf, width, height }: MiniGraphProps) {
  const shape = shapeOf(nodes);
  const layout = useMemo(
    () => (nodes.length > MOST_NODES ? null : layoutOf(nodes, { spacing: SPACING })),
    [shape],
  );
  const zoom = layout ? Math.min(width / layout.width, height / layout.height, MOST_ZOOM) : 0;
  if (!layout || zoom < LEAST_ZOOM)
    return (
      <svg className="minigraph is-tiles" {...{ width, height }} aria-hidden="true">
        {tilesOf(nodes, healthOf, { width, height }).map(([health, path]) => (
          <path key={health} d={path} className={`h-${health}`} />
        ))}
      </svg>
    );
  const x = (width - layout.width * zoom) / 2;
  const y = (height - layout.height * zoom) / 2;
  return (
    <svg
      className="minigraph"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden="true"
    >
      <g transform={`translate(${x} ${y}) scale(${zoom})`}>
        {nodes.flatMap(({ id, dependsOn }) =>
          dependsOn.map((needed) => {
            const from = layout.at.get(id);
            const to = layout.at.get(needed);
            if (!from || !to) return null;
            return <path key={`${id}>${needed}`} d={curve(from, to)} className="mini-edge" />;
          }),
        )}
        {nodes.map(({ id }) => (
          <rect key={id} {...layout.at.get(id)} {...CARD} rx={4} className={`h-${healthOf(id)}`} />
        ))}
      </g>
    </svg>
  );
}

function curve(from: Place, to: Place): string {
  const x1 = from.x + CARD.width;
  const y1 = from.y + CARD.height / 2;
  const x2 = to.x;
  const y2 = to.y + CARD.height / 2;
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
