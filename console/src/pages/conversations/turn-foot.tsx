import { Link } from '@tanstack/react-router';
import type { ConversationNode } from '../../api/types.js';
import { cost, shortNumber } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';

interface TurnFootProps {
  node: ConversationNode;
  onFork: () => void;
}

/** What can be done with an exchange that has ended, and what it took. */
export function TurnFoot({ node, onFork }: TurnFootProps) {
  return (
    <p className="turn-foot">
      <Link to="/runs/$runId" params={{ runId: node.runId }} className="linkish">
        how it came to this answer
      </Link>
      <button className="linkish" onClick={onFork}>
        <Icon name="branch" size={12} /> go on from here
      </button>
      {node.usage && (
        <span className="mute">
          {shortNumber(node.usage.total_tokens)} tokens
          {node.usage.cost !== undefined && `, ${cost(node.usage.cost)}`}
        </span>
      )}
    </p>
  );
}
