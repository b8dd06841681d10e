import type { Health } from '../../model/types.js';
import type { Size } from '../../ui/use-size.js';
import type { GraphNode } from './graph-node.js';
import { layersOf } from './node-groups.js';

const GAP = 2;
const MOST_SIDE = 12;

/**
 * A square for each node, in columns from left to right, in the order of layers.
 * @returns by health, one path of all its squares
 */
export function tilesOf(
  nodes: readonly GraphNode[],
  healthOf: (id: string) => Health,
  { width, height }: Size,
): [Health, string][] {
  const step = stepOf(nodes.length, { width, height });
  const rows = Math.max(1, Math.floor(height / step));
  const columns = Math.ceil(nodes.length / rows);
  const left = (width - columns * step) / 2;
  const top = (height - Math.min(rows, nodes.length) * step) / 2;
  const side = Math.max(1, step - GAP);
  const paths = new Map<Health, string>();
  layersOf(nodes)
    .flat()
    .forEach(({ id }, i) => {
      const x = left + Math.floor(i / rows) * step;
      const y = top + (i % rows) * step;
      const health = healthOf(id);
      const square = `M${x} ${y}h${side}v${side}h${-side}z`;
      paths.set(health, (paths.get(health) ?? '') + square);
    });
  return [...paths];
}

/** The largest step at which all squares have room. */
function stepOf(nodes: number, { width, height }: Size): number {
  for (let step = MOST_SIDE + GAP; step > 1; step--)
    if (Math.floor(width / step) * Math.floor(height / step) >= nodes) return step;
  return 1;
}
