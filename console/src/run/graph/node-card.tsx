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

/** How a card stands in its graph. */
export type CardLook = {
  picked: boolean;
  dim: boolean;
  onPath: boolean;
  /** Whether its name has room below it, in a graph that is far away. */
  named: boolean;
  /** Whether what it depends on stands below it, and not at its right. */
  downwards: boolean;
  /** The names of the nodes that it depends on. */
  needs: readonly string[];
};

export type CardNode = Node<NodeState & CardLook & { name: string; kind: string }, 'card'>;

/** Of the ends of edges, which React Flow measures: points in the middle of the sides of a card. */
const POINT: CSSProperties = { minWidth: 0, minHeight: 0, visibility: 'hidden' };
/** Longer names take two lines: always, or if the card is small. */
const LINE = 15;
const SMALL_LINE = 11;

/** A node of a topology: a button whose text says all that its looks say. */
export function NodeCard({ data }: NodeProps<CardNode>) {
  const { health, name, kind, fact, examiner, busy, picked, dim, onPath, needs, downwards } = data;
  const classes = [
    `gnode h-${health}`,
    picked && 'is-selected',
    dim && 'is-dim',
    examiner !== null && 'is-looked',
    busy && 'is-busy',
    onPath && 'on-path',
    data.named && 'is-named',
    name.length > SMALL_LINE && (name.length > LINE ? 'is-long' : 'is-middling'),
  ];
  const said = [
    HEALTH_WORDS[health],
    examiner !== null && `being examined by ${examiner}`,
    needs.length > 0 && `depends on ${needs.join(', ')}`,
  ];
  const shown = examiner !== null && health === 'unknown' ? examiner : fact || kind;
  return (
    <>
      <Handle
        type="target"
        position={downwards ? Position.Top : Position.Left}
        isConnectable={false}
        style={POINT}
      />
      <Handle
        type="source"
        position={downwards ? Position.Bottom : Position.Right}
        isConnectable={false}
        style={POINT}
      />
      <button
        className={classes.filter(Boolean).join(' ')}
        aria-pressed={picked}
        title={`${name}\n${shown}`}
      >
        <span className="gnode-kind">
          <Icon name={kind} size={15} />
        </span>
        <b className="gnode-name">{name}</b>
        <Glyph state={health === 'unknown' && examiner !== null ? 'examining' : health} size={15} />
        <small className="gnode-fact">{shown}</small>
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
