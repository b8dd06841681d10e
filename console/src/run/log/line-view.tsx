import { memo } from 'react';
import { kindOf } from '../../model/event-words.js';
import type { LogLine } from '../../model/log-lines.js';
import { toneOf } from '../../model/problem.js';
import type { LogEvent } from '../../model/types.js';
import { offset, shortNumber } from '../../ui/format.js';

export const lineId = ({ seq }: LogLine): string => `line-${seq}`;

interface LineViewProps {
  event: LogEvent;
  line: LogLine;
  /** Of `line`, which grows in place. */
  last: number;
  text: string;
  top: number;
  selected: boolean;
  later: boolean;
  startTime: number;
  index: number;
  size: number;
  onPick: (seq: number) => void;
}

/** One line: number, offset, kind, agent, text. */
export const LineView = memo(function LineView(props: LineViewProps) {
  const { event, line, last, text, top, selected, later, startTime, index, size, onPick } = props;
  const classes = [`line tone-${toneOf(event)}`, selected && 'is-selected', later && 'is-later'];
  return (
    <div
      className={classes.filter(Boolean).join(' ')}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onPick(line.seq)}
      role="option"
      id={lineId(line)}
      aria-selected={selected}
      aria-setsize={size}
      aria-posinset={index + 1}
    >
      <span className="l-seq">
        {line.seq === last ? line.seq : `${line.seq}–${shortNumber(last)}`}
      </span>
      <span className="l-time">{offset(event.time - startTime)}</span>
      <span className="l-kind">{kindOf(event)}</span>
      <span className="l-who">{event.source?.agent_name ?? 'service'}</span>
      <span className="l-text">{text}</span>
    </div>
  );
});
