import type { ConversationNode } from '../../api/types.js';
import { branchesAt, leafBelow } from '../../chat/past-turn.js';
import { Icon } from '../../ui/icon.js';

interface BranchesProps {
  node: ConversationNode;
  nodes: readonly ConversationNode[];
  /** Shows another branch, by its last exchange. */
  onBranch: (leaf: string) => void;
}

/**
 * Which of several branches a question is, and the way to the others. Nothing if it is the only
 * one.
 */
export function Branches({ node, nodes, onBranch }: BranchesProps) {
  const branches = branchesAt(nodes, node);
  if (branches.length < 2) return null;
  const at = branches.indexOf(node);
  const open = (index: number) => () => {
    const branch = branches[index];
    if (branch) onBranch(leafBelow(nodes, branch.id));
  };
  return (
    <span className="branch">
      <button
        className="btn btn-ghost btn-icon"
        disabled={at === 0}
        aria-label="Previous branch"
        onClick={open(at - 1)}
      >
        <Icon name="left" size={12} />
      </button>
      <Icon name="branch" size={12} />
      {at + 1} of {branches.length}
      <button
        className="btn btn-ghost btn-icon"
        disabled={at === branches.length - 1}
        aria-label="Next branch"
        onClick={open(at + 1)}
      >
        <Icon name="right" size={12} />
      </button>
    </span>
  );
}
