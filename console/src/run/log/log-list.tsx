import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { lineAt, type LogLine } from '../../model/log-lines.js';
import { Icon } from '../../ui/icon.js';
import { useRunView } from '../run-context.js';
import { lineId, LineView } from './line-view.js';

const LINE_HEIGHT = 27;
/** So near to the foot counts as at the foot. */
const FOOT = 2 * LINE_HEIGHT;
const PAGE = 20;

/**
 * The lines, windowed. Sticks to its end while the run is live, until it is scrolled. `size` tells
 * that lines have come.
 */
export function LogList({ lines, size }: { lines: readonly LogLine[]; size: number }) {
  const { model, seq, at, selected, live, actions } = useRunView();
  const body = useRef<HTMLDivElement>(null);
  const [sticky, setSticky] = useState(selected === null && at === null);
  const list = useVirtualizer({
    count: size,
    getScrollElement: () => body.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 10,
  });
  const following = live && at === null && selected === null && sticky;
  useLayoutEffect(() => {
    if (following && size > 0) list.scrollToIndex(size - 1, { align: 'end' });
  }, [following, size, list]);
  const wanted = selected ?? at;
  const isThere = wanted !== null && model.last >= wanted;
  useEffect(() => {
    if (wanted === null || !isThere) return;
    setSticky(false);
    list.scrollToIndex(lineAt(lines, wanted), { align: 'auto' });
    // Lines that come do not move the list.
  }, [wanted, isThere, list]);
  const current = selected === null ? undefined : lines[lineAt(lines, selected)];
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: PAGE,
      PageUp: -PAGE,
      Home: -Infinity,
      End: Infinity,
    };
    const step = steps[event.key];
    if (step === undefined || size === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const from = selected === null ? (step > 0 ? -1 : size) : lineAt(lines, selected);
    const next = lines[Math.max(0, Math.min(size - 1, from + step))];
    if (next) actions.pick(next.seq);
  };
  return (
    <>
      <div
        className="logbody"
        ref={body}
        role="listbox"
        aria-label={`Log, ${size} lines`}
        aria-activedescendant={current && lineId(current)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setSticky(scrollHeight - scrollTop - clientHeight < FOOT)
        }
      >
        <div className="logcanvas" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => {
            const line = lines[index];
            const event = line && model.at(line.seq);
            if (!event) return null;
            return (
              <LineView
                key={line.seq}
                event={event}
                line={line}
                last={line.last}
                text={line.text}
                top={start}
                selected={line === current}
                later={at !== null && line.seq > seq}
                startTime={model.startTime}
                index={index}
                size={size}
                onPick={actions.pick}
              />
            );
          })}
        </div>
      </div>
      {live && !following && selected === null && at === null && size > 0 && (
        <button className="chip tofoot" onClick={() => setSticky(true)}>
          <Icon name="down" size={12} /> Follow the end
        </button>
      )}
    </>
  );
}
