import { useMemo } from 'react';
import type { Health } from '../../model/types.js';
import type { GraphNode } from './graph-node.js';
import { layoutOf, shapeOf } from './layout.js';

const CARD = { width: 26, height: 14 };
const MOST_ZOOM = 1.4;

interface MiniGraphProps {
  nodes: readonly GraphNode[];
  healthOf: (id: string) => Health;
  width: number;
  height: number;
}

/** A topology without words, in the colours of its health. */
export function MiniGraph({ nodes, healthOf, width, height }: MiniGraphProps) {
  const shape = shapeOf(nodes);
  const layout = useMemo(() => layoutOf(nodes, CARD), [shape]);
  const zoom = Math.min(width / layout.width, height / layout.height, MOST_ZOOM);
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

interface Place {
  x: number;
  y: number;
}

function curve(from: Place, to: Place): string {
  const x1 = from.x + CARD.width;
  const y1 = from.y + CARD.height / 2;
  const x2 = to.x;
  const y2 = to.y + CARD.height / 2;
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
