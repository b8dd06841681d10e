import { Link } from '@tanstack/react-router';
import type { ConversationNode } from '../../api/types.js';
import { CitedText } from '../../chat/cited-text.js';
import { branchesAt, leafBelow } from '../../chat/past-turn.js';
import { Icon } from '../../ui/icon.js';

interface PastTurnProps {
  node: ConversationNode;
  nodes: readonly ConversationNode[];
  /** Shows another branch, by its last exchange. */
  onBranch: (leaf: string) => void;
  onFork: () => void;
}

/** An exchange that has ended, with its other branches. */
export function PastTurn({ node, nodes, onBranch, onFork }: PastTurnProps) {
  const branches = branchesAt(nodes, node);
  const at = branches.indexOf(node);
  const open = (index: number) => () => {
    const branch = branches[index];
    if (branch) onBranch(leafBelow(nodes, branch.id));
  };
  return (
    <div className="turn">
      <div className="msg msg-me">
        <p>{node.question}</p>
        {branches.length > 1 && (
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
        )}
      </div>
      <div className="msg msg-oracle">
        <div className="said">
          <CitedText text={node.answer} />
        </div>
        {node.partial && (
          <p className="mute stopped">
            <Icon name="stop" size={12} />
            {node.status}: what was said so far is kept
          </p>
        )}
        <p className="turn-foot">
          <Link to="/runs/$runId" params={{ runId: node.runId }} className="linkish">
            how it came to this answer
          </Link>
          <button className="linkish" onClick={onFork}>
            <Icon name="branch" size={12} /> go on from here
          </button>
        </p>
      </div>
    </div>
  );
}
