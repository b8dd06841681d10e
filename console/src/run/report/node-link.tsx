import type { ReactNode } from 'react';
import { useRunView } from '../run-context.js';

interface NodeLinkProps {
  node: string;
  strong?: boolean;
  /** Instead of its name. */
  children?: ReactNode;
}

/** The name of a node, which selects it; only a name if the log of the run has no such node. */
export function NodeLink({ node, strong = false, children }: NodeLinkProps) {
  const { model, actions } = useRunView();
  const name = children ?? <bdi>{model.nameOf(node)}</bdi>;
  if (!model.nodes.has(node)) return <span>{name}</span>;
  return (
    <button
      className={strong ? 'linkish strong' : 'linkish'}
      onClick={() => actions.pickNode(node)}
    >
      {name}
    </button>
  );
}
