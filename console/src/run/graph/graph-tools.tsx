import { useReactFlow } from '@xyflow/react';
import { Icon } from '../../ui/icon.js';
import { count } from '../../model/number.js';
import { FIT_GRAPH } from './fit-event.js';
import type { Side } from './viewport.js';

/** Zoom and fit. */
export function GraphTools() {
  const flow = useReactFlow();
  return (
    <div className="graph-tools noprint">
      <Tool label="Zoom in" text="+" onClick={() => void flow.zoomIn()} />
      <Tool label="Zoom out" text="−" onClick={() => void flow.zoomOut()} />
      <button
        className="tool"
        onClick={() => dispatchEvent(new Event(FIT_GRAPH))}
        aria-label="Fit the graph"
        title="Fit (F)"
      >
        <Icon name="fit" size={13} />
      </button>
    </div>
  );
}

function Tool({ label, text, onClick }: { label: string; text: string; onClick: () => void }) {
  return (
    <button className="tool" onClick={onClick} aria-label={label} title={`${label} (Ctrl + wheel)`}>
      {text}
    </button>
  );
}

const WHERE: Record<Side, { arrow: string; words: string; by: [x: number, y: number] }> = {
  left: { arrow: '←', words: 'on the left', by: [1, 0] },
  right: { arrow: '→', words: 'on the right', by: [-1, 0] },
  above: { arrow: '↑', words: 'above', by: [0, 1] },
  below: { arrow: '↓', words: 'below', by: [0, -1] },
};

interface MoreProps {
  outside: Record<Side, number>;
  /** Moves the graph by parts of its panel. */
  onMove: (x: number, y: number) => void;
}

/** Says at each side how many nodes are out of view there; a press shows them. */
export function More({ outside, onMove }: MoreProps) {
  return (Object.keys(WHERE) as Side[]).map((side) => {
    const { arrow, words, by } = WHERE[side];
    const nodes = count(outside[side], 'more node');
    return (
      outside[side] > 0 && (
        <button
          key={side}
          className={`graph-more at-${side} noprint`}
          aria-label={`${nodes} ${words}`}
          title={`${nodes} ${words}`}
          onClick={() => onMove(...by)}
        >
          {arrow} {outside[side]} more
        </button>
      )
    );
  });
}
