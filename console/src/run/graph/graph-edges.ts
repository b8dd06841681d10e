import { MarkerType, type Edge } from '@xyflow/react';
import { edgeKey, type FailurePath } from '../../model/view/path-at.js';
import type { GraphNode } from './graph-node.js';

/** A node with those that depend on it and those it depends on; null if none is picked. */
export function neighboursOf(
  nodes: readonly GraphNode[],
  picked: string | null,
): Set<string> | null {
  if (picked === null) return null;
  const above = nodes.filter(({ dependsOn }) => dependsOn.includes(picked)).map(({ id }) => id);
  const below = nodes.find(({ id }) => id === picked)?.dependsOn ?? [];
  return new Set([picked, ...above, ...below]);
}

/** The edges between these nodes, with those on the path of the failure. */
export function edgesOf(
  nodes: readonly GraphNode[],
  path: FailurePath,
  picked: string | null,
): Edge[] {
  const ids = new Set(nodes.map(({ id }) => id));
  return nodes.flatMap(({ id, dependsOn }) =>
    dependsOn
      .filter((needed) => ids.has(needed))
      .map((needed) => {
        const key = edgeKey(id, needed);
        const hot = path.edges.has(key);
        const dim = picked !== null && picked !== id && picked !== needed;
        return {
          id: key,
          source: id,
          target: needed,
          className: [
            'edge',
            hot && 'is-hot',
            path.against.has(key) && 'is-against',
            dim && 'is-dim',
          ]
            .filter(Boolean)
            .join(' '),
          zIndex: hot ? 1 : 0,
          // Edges are for the eye: nothing to hit.
          interactionWidth: 0,
          animated: hot,
          markerEnd: {
            type: MarkerType.ArrowClosed,
            markerUnits: 'userSpaceOnUse',
            width: 16,
            height: 16,
            color: hot ? 'var(--crit)' : 'var(--line-2)',
          },
        };
      }),
  );
}
