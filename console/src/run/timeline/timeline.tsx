import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from 'react';
import type { RunModel } from '../../model/run-model.js';
import type { AgentRow } from '../../model/types.js';
import { outcomeOfRow, rowsAt } from '../../model/view/rows-at.js';
import { useSize } from '../../ui/use-size.js';
import { useRunView } from '../run-context.js';
import { Axis, Grid } from './axis.js';
import { marksOf } from './marks.js';
import { ROW_HEIGHT, rowId, RowView, STACKED_HEIGHT } from './row-view.js';
import { scaleOf } from './time-scale.js';
import { useZoom } from './use-zoom.js';

const LEAST_SPAN_MS = 50;
/**
 * With more rows than this nothing is animated: each animated part is a layer, which costs time in
 * every frame.
 */
const CROWD = 24;
/** How often the texts of a live timeline change: they are read, and not watched like its bars. */
const TEXT_MS = 200;
/** Until the width is known, in pixels. */
const WIDE = 900;
/** A narrower timeline has no room for names beside its bars. */
const NARROW = 440;
/** The end of the run does not stand at the very edge. */
const EDGE = 1.015;

/** What every agent did when: a row a dispatch, indented by sender. */
export function Timeline() {
  const { model, seq, at, endTime, axisEnd, live, selected, node, actions } = useRunView();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const body = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const rows = rowsAt(model, seq, folded, node);
  const textEnd = live && at === null ? endTime - (endTime % TEXT_MS) : endTime;
  const whole = {
    start: model.startTime,
    end: model.startTime + Math.max(LEAST_SPAN_MS, axisEnd - model.startTime) * EDGE,
  };
  const frame = useRef<HTMLDivElement>(null);
  const stacked = (useSize(frame)?.width ?? WIDE) < NARROW;
  const nameWidth = useCallback(() => track.current?.offsetLeft ?? 0, []);
  const [zoom, fit] = useZoom(body, whole, nameWidth);
  const { start, end: axis } = zoom ?? whole;
  const span = axis - start;
  const scale = scaleOf(start, span);
  const width = useSize(track)?.width ?? WIDE;
  const marks = marksOf({ zero: whole.start, start, span, width });
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => body.current,
    estimateSize: () => (stacked ? STACKED_HEIGHT : ROW_HEIGHT),
    overscan: 1,
  });
  useEffect(() => list.measure(), [list, stacked]);
  const fold = useCallback((id: string): void => {
    setFolded((old) =>
      old.has(id) ? new Set([...old].filter((one) => one !== id)) : new Set([...old, id]),
    );
  }, []);
  const pickedRow = selected === null ? null : rowOf(model, selected);
  const hotIndex = rows.findIndex(
    (row) => row === pickedRow || (node !== null && row.node === node),
  );
  useEffect(() => {
    if (hotIndex >= 0) list.scrollToIndex(hotIndex, { align: 'auto' });
    // Only when something else is picked: rows that come do not move the list.
  }, [list, selected, node]);
  const [active, onKeyDown, setActive] = useTreeKeys(rows, folded, {
    fold,
    pick: actions.pick,
    show: (index) => list.scrollToIndex(index, { align: 'auto' }),
  });
  return (
    <div
      className={`waterfall${rows.length > CROWD ? ' is-crowded' : ''}${stacked ? ' is-stacked' : ''}`}
      ref={frame}
    >
      <Axis
        track={track}
        marks={marks}
        hasCost={(model.usageAt(seq).cost ?? 0) > 0}
        onFit={zoom ? fit : null}
      />
      <div
        className="wbody"
        ref={body}
        role={rows.length > 0 ? 'tree' : undefined}
        aria-label={rows.length > 0 ? 'Timeline of agents' : undefined}
        aria-activedescendant={rows[active] ? rowId(active) : undefined}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => hotIndex >= 0 && setActive(hotIndex)}
      >
        <div className="wcanvas" style={{ height: list.getTotalSize() + 8 }}>
          <Grid
            marks={marks}
            now={at !== null || live ? ((endTime - start) / span) * 100 : null}
            live={live && at === null}
          />
          {node !== null && rows.length === 0 && (
            <p className="empty">No agent was sent to {model.nameOf(node)}.</p>
          )}
          {list.getVirtualItems().map(({ index, start: top }) => {
            const row = rows[index];
            if (!row) return null;
            const hot = row === pickedRow || (node !== null && row.node === node);
            return (
              <RowView
                key={row.id}
                row={row}
                outcome={hasEnded(row, seq) ? outcomeOfRow(model, row, seq) : null}
                signature={signatureOf(row, seq, endTime)}
                index={index}
                top={top}
                position={positionOf(row, model)}
                seq={seq}
                end={endTime}
                textEnd={textEnd}
                scale={scale}
                selected={row === pickedRow ? selected : null}
                folded={folded.has(row.id)}
                hot={hot}
                active={index === active}
                onFold={fold}
                onPick={actions.pick}
              />
            );
          })}
        </div>
      </div>
    </div>
  );
}

const hasEnded = (row: AgentRow, seq: number): boolean => row.endSeq !== null && row.endSeq <= seq;

function signatureOf(row: AgentRow, seq: number, end: number): string {
  if (hasEnded(row, seq)) return `${row.endSeq} ${row.children.length}`;
  return `${row.bars.length} ${row.usage.length} ${seq} ${end}`;
}

function positionOf(row: AgentRow, model: RunModel): { at: number; of: number } {
  const siblings = row.parent ? row.parent.children : model.roots;
  return { at: siblings.indexOf(row) + 1, of: siblings.length };
}

/** The dispatch that an event belongs to. */
function rowOf(model: RunModel, seq: number): AgentRow | null {
  const event = model.at(seq);
  if (!event) return null;
  if ('dispatch_id' in event.data)
    return model.rows.get((event.data['dispatch_id'] as string | null) ?? '') ?? null;
  return event.source ? (model.currentRow.get(event.source.agent_id) ?? null) : null;
}

interface TreeMoves {
  fold: (id: string) => void;
  pick: (seq: number) => void;
  show: (index: number) => void;
}

/** Keys of a tree: up and down move, left and right fold, Enter opens. */
function useTreeKeys(
  rows: AgentRow[],
  folded: ReadonlySet<string>,
  { fold, pick, show }: TreeMoves,
): [number, (event: KeyboardEvent) => void, (index: number) => void] {
  const [active, setActive] = useState(0);
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = rows[active];
    const go = (index: number): void => {
      const to = Math.max(0, Math.min(rows.length - 1, index));
      setActive(to);
      show(to);
    };
    const isOpen = row && row.children.length > 0 && !folded.has(row.id);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(active + 1),
      ArrowUp: () => go(active - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row && folded.has(row.id) ? fold(row.id) : go(active + 1)),
      ArrowLeft: () =>
        isOpen ? fold(row.id) : row?.parent ? go(rows.indexOf(row.parent)) : undefined,
      Enter: () => row && pick(row.endSeq ?? row.startSeq),
    };
    const move = moves[event.key];
    if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  };
  return [Math.min(active, Math.max(0, rows.length - 1)), onKeyDown, setActive];
}
