import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import type { CSSProperties } from 'react';
import type { Health } from '../../model/types.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { HEALTH_WORDS } from '../../ui/words.js';

/** What the card of a node says. */
export type NodeState = {
  health: Health;
  /** Its one number: `200 in 37 ms`. */
  fact: string;
  examiner: string | null;
  /** A tool is under way there. */
  busy: boolean;
};

export type CardNode = Node<
  NodeState & {
    name: string;
    kind: string;
    dependsOn: string[];
    picked: boolean;
    dim: boolean;
    onPath: boolean;
    /** Whether its name has room below it, in a graph that is far away. */
    named: boolean;
  },
  'card'
>;

/** Of the ends of edges, which React Flow measures: points in the middle of the sides of a card. */
const POINT: CSSProperties = { minWidth: 0, minHeight: 0, visibility: 'hidden' };

/** A node of a topology: a button whose text says all that its looks say. */
export function NodeCard({ data }: NodeProps<CardNode>) {
  const { health, name, kind, fact, examiner, busy, picked, dim, onPath, dependsOn } = data;
  const classes = [
    `gnode h-${health}`,
    picked && 'is-selected',
    dim && 'is-dim',
    examiner !== null && 'is-looked',
    busy && 'is-busy',
    onPath && 'on-path',
    data.named && 'is-named',
  ];
  const said = [
    HEALTH_WORDS[health],
    examiner !== null && `being examined by ${examiner}`,
    dependsOn.length > 0 && `depends on ${dependsOn.join(', ')}`,
  ];
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} style={POINT} />
      <Handle type="source" position={Position.Right} isConnectable={false} style={POINT} />
      <button className={classes.filter(Boolean).join(' ')} aria-pressed={picked} title={fact}>
        <span className="gnode-kind">
          <Icon name={kind} size={15} />
        </span>
        <span className="gnode-text">
          <b>{name}</b>
          <small>{examiner !== null && health === 'unknown' ? examiner : fact || kind}</small>
        </span>
        <Glyph state={health === 'unknown' && examiner !== null ? 'examining' : health} size={15} />
        <span className="sr">: {said.filter(Boolean).join('; ')}</span>
        {health === 'root' && (
          <span className="gnode-tag" aria-hidden="true">
            root cause
          </span>
        )}
      </button>
    </>
  );
}
