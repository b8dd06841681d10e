import { memo } from 'react';
import type { AgentRow } from '../../model/types.js';
import type { Outcome } from '../../model/view/rows-at.js';
import { cost, duration, shortNumber } from '../../ui/format.js';
import { Glyph } from '../../ui/glyph.js';
import { Icon } from '../../ui/icon.js';
import { ROLE_WORDS } from '../../ui/words.js';
import { lookOf } from './bar-look.js';
import { BarView } from './bar-view.js';
import { lanesOf, mergeBars } from './bars.js';
import type { TimeScale } from './time-scale.js';

export interface RowViewProps {
  row: AgentRow;
  /** How it had ended; null while it was at work. */
  outcome: Outcome | null;
  /** Changes when the row is to be drawn again. */
  signature: string;
  index: number;
  top: number;
  /** Siblings below the same parent, and which one it is. */
  position: { at: number; of: number };
  seq: number;
  /** What is later has not happened yet. */
  end: number;
  /** What texts take for the end. */
  textEnd: number;
  scale: TimeScale;
  selected: number | null;
  folded: boolean;
  hot: boolean;
  active: boolean;
  onFold: (id: string) => void;
  onPick: (seq: number) => void;
}

export const ROW_HEIGHT = 28;
/** In a narrow timeline bars stand below the name. */
export const STACKED_HEIGHT = 50;
const INDENT = 14;

export const rowId = (index: number): string => `timeline-row-${index}`;

/** One dispatch on the timeline. A row that has ended is not drawn again. */
export const RowView = memo(function RowView(props: RowViewProps) {
  const { row, outcome, index, top, position, seq, hot, active, folded, end, textEnd } = props;
  const done = outcome !== null;
  const kids = row.children.some((child) => child.startSeq <= seq);
  const used = row.usage.findLast((usage) => usage.seq <= seq);
  const took = duration(
    (done ? (row.endTime ?? end) : Math.max(row.startTime, textEnd)) - row.startTime,
  );
  const spent = used?.cost ? cost(used.cost) : '';
  // Begins with the visible text, as speech control needs it (WCAG 2.5.3).
  const label = `${row.name} ${spent && `${spent} `}${took}, ${ROLE_WORDS[row.role]}, ${outcome ?? 'at work'}`;
  return (
    <div
      id={rowId(index)}
      className={`wrow t-${row.role}${hot ? ' is-hot' : ''}${active ? ' is-active' : ''}`}
      style={{ transform: `translateY(${top}px)` }}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-setsize={position.of}
      aria-posinset={position.at}
      aria-selected={hot}
      aria-expanded={kids ? !folded : undefined}
      aria-label={label}
    >
      <div className="wname" style={{ paddingLeft: 8 + row.depth * INDENT }}>
        <Fold {...props} kids={kids} />
        <button
          className="wwho"
          tabIndex={-1}
          onClick={() => props.onPick(done && row.id !== '' ? (row.endSeq ?? 1) : row.startSeq)}
        >
          <span className={`who who-${row.role}`} />
          <b title={row.name}>{row.name}</b>
        </button>{' '}
        <span className="wmeta">
          {spent && <i title={`${shortNumber(used?.tokens ?? 0)} tokens`}>{spent}</i>}{' '}
          <span>{took}</span>
        </span>
        <Glyph state={outcome ?? 'running'} size={13} />
      </div>
      <Track {...props} done={done} />
    </div>
  );
}, isSame);

function isSame(a: RowViewProps, b: RowViewProps): boolean {
  return (
    a.signature === b.signature &&
    a.outcome === b.outcome &&
    a.row === b.row &&
    a.index === b.index &&
    a.top === b.top &&
    a.scale.start === b.scale.start &&
    a.scale.span === b.scale.span &&
    a.selected === b.selected &&
    a.folded === b.folded &&
    a.hot === b.hot &&
    a.active === b.active &&
    a.position.of === b.position.of
  );
}

function Fold({ row, folded, kids, onFold }: RowViewProps & { kids: boolean }) {
  if (!kids) return <span className="fold" />;
  return (
    <button
      className={`fold${folded ? '' : ' is-open'}`}
      onClick={() => onFold(row.id)}
      aria-label={`${folded ? 'Show' : 'Hide'} the agents that ${row.name} sent`}
      tabIndex={-1}
    >
      <Icon name="right" size={11} />
    </button>
  );
}

/** Shorter pauses are not shown as a model that is asked. */
const SHOWN_MS = 40;

function Track({
  row,
  seq,
  end,
  textEnd,
  scale,
  selected,
  done,
  onPick,
}: RowViewProps & { done: boolean }) {
  const { place } = scale;
  const bars = mergeBars(row.bars, scale.start, scale.span).filter((bar) => bar.startSeq <= seq);
  const lanes = lanesOf(bars);
  const from = { seq, end, textEnd, scale };
  const until = done ? (row.endTime ?? end) : end;
  const asked = done ? null : askedSince(row, seq, end);
  return (
    <div className="wtrack">
      <div className="wscale" style={{ width: `${scale.width}%` }}>
        <span
          className="wspan"
          style={{
            left: `${place(row.startTime)}%`,
            width: `${place(until) - place(row.startTime)}%`,
          }}
        />
        {bars.map((bar) => {
          const look = lookOf(bar, from);
          return (
            look && (
              <BarView
                {...look}
                key={`${bar.kind} ${bar.startSeq}`}
                lane={lanes.get(bar) ?? ''}
                selected={selected !== null && isOf(bar, selected)}
                onPick={onPick}
              />
            )
          );
        })}
        {asked !== null && (
          <span
            className="bar b-model ghost s-open"
            title="The model is asked and has not answered yet"
            style={{
              left: `${place(asked)}%`,
              width: `${place(end) - place(asked)}%`,
            }}
          />
        )}
        {row.resumed
          .filter((resumed) => resumed <= seq)
          .map((resumed) => (
            <span
              key={resumed}
              className="resumed"
              title="Another process continued it"
              style={{
                left: `${place(row.bars.find((bar) => bar.startSeq >= resumed)?.startTime ?? row.startTime)}%`,
              }}
            />
          ))}
        {done && row.id !== '' && (
          <span className={`endcap e-${row.status}`} style={{ left: `${place(until)}%` }} />
        )}
      </div>
    </div>
  );
}

const isOf = ({ startSeq, endSeq, kind }: AgentRow['bars'][number], seq: number): boolean =>
  seq === startSeq ||
  seq === endSeq ||
  (kind === 'model' && seq > startSeq && endSeq !== null && seq < endSeq);

/** Since when nothing is under way but a model that was asked; null while something is. */
function askedSince(row: AgentRow, seq: number, end: number): number | null {
  let idle = row.startTime;
  for (const bar of row.bars) {
    if (bar.startSeq > seq) continue;
    const open = bar.endTime === null || (bar.endSeq !== null && bar.endSeq > seq);
    const until = open && bar.kind !== 'wait' ? Infinity : (bar.endTime ?? Infinity);
    if (until > end) return null;
    idle = Math.max(idle, until);
  }
  return end - idle < SHOWN_MS ? null : idle;
}
