import { Handle, Position, type Node, type NodeProps } from '@xyflow/react';
import type { CSSProperties, ReactNode } from 'react';
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
  /** The names of the nodes that it depends on. */
  needs: readonly string[];
};

type CardText = {
  name: string;
  kind: string;
  /** Whether what it depends on stands below it, and not at its right. */
  downwards: boolean;
  /** How many letters of a name fit a line. */
  letters: number;
};

export type CardNode = Node<NodeState & CardLook & CardText, 'card'>;

/** Of the ends of edges, which React Flow measures: points in the middle of the sides of a card. */
const POINT: CSSProperties = { minWidth: 0, minHeight: 0, visibility: 'hidden' };
/** Beside a name stands a symbol, and its letters are larger. */
const MORE_LETTERS = 1.3;

/**
 * Names of quantities stand in one line if they fit it, and are broken at their parts if not.
 * @param letters of a name that fit a line
 */
const breakable = (text: string, letters: number): ReactNode =>
  text.split(/(\S*_\S*)/).map((part, i) =>
    i % 2 === 0 ? (
      part
    ) : (
      <span key={i} className={part.length > letters * MORE_LETTERS ? 'word is-long' : 'word'}>
        {part.split(/(?<=_)/).flatMap((piece, k) => (k > 0 ? [<wbr key={k} />, piece] : piece))}
      </span>
    ),
  );

/** A node of a topology: a button whose text says all that its looks say. */
export function NodeCard({ data }: NodeProps<CardNode>) {
  const { health, name, kind, fact, examiner, busy, picked, dim, onPath, needs, downwards } = data;
  const { letters } = data;
  const classes = [
    `gnode h-${health}`,
    picked && 'is-selected',
    dim && 'is-dim',
    examiner !== null && 'is-looked',
    busy && 'is-busy',
    onPath && 'on-path',
    data.named && 'is-named',
    name.length > letters && 'is-long',
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
        <small className="gnode-fact">{breakable(shown, letters)}</small>
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
