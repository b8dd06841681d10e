import type { ConversationNode } from '../../api/types.js';
import { CallLine } from '../../chat/call-line.js';
import { CitedText } from '../../chat/cited-text.js';
import { Icon } from '../../ui/icon.js';
import { Branches } from './branches.js';
import { TurnFoot } from './turn-foot.js';

interface PastTurnProps {
  node: ConversationNode;
  nodes: readonly ConversationNode[];
  /** Shows another branch, by its last exchange. */
  onBranch: (leaf: string) => void;
  onFork: () => void;
}

/** An exchange that has ended, with its other branches. */
export function PastTurn({ node, nodes, onBranch, onFork }: PastTurnProps) {
  return (
    <div className="turn">
      <div className="msg msg-me">
        <p>{node.question}</p>
        <Branches node={node} nodes={nodes} onBranch={onBranch} />
      </div>
      <div className="msg msg-oracle">
        {node.tool_calls?.map(({ tool_call_id, tool, args = {}, status, duration_ms }) => (
          <p
            key={tool_call_id}
            className={`tcall tcall-line tc-${status === 'ok' ? 'completed' : status}`}
          >
            <CallLine
              tool={tool}
              args={args}
              status={status ?? (node.status === 'running' ? 'pending' : 'interrupted')}
              durationMs={duration_ms}
            />
          </p>
        ))}
        <div className="said">
          <CitedText text={node.answer} />
        </div>
        {node.status === 'running' && <p className="mute stopped">The oracle is at work.</p>}
        {node.partial && node.status !== 'running' && (
          <p className="mute stopped">
            <Icon name="stop" size={12} />
            {node.status}: the answer so far is kept
          </p>
        )}
        <TurnFoot node={node} onFork={onFork} />
      </div>
    </div>
  );
}
