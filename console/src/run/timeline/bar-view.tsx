import type { Bar, BarKind } from '../../model/types.js';
import { duration } from '../../ui/format.js';

const BAR_WORDS: Record<BarKind, string> = {
  model: 'Model call',
  tool: 'Tool call',
  wait: 'Waits for the model',
  parked: 'Parked',
  queued: 'In the queue',
};

/** Bars narrower than this, in percent of the track, have no label. */
const LABELLED = { tool: 5, model: 7 };

interface BarViewProps {
  bar: Bar;
  seq: number;
  /** Where the view ends in time. */
  end: number;
  lane: { lane: number; lanes: number } | undefined;
  /** The place of a time on the track, in percent. */
  place: (time: number) => number;
  selected: boolean;
  onPick: (seq: number) => void;
}

/** What an agent did for a while. */
export function BarView({ bar, seq, end, lane, place, selected, onPick }: BarViewProps) {
  const later = bar.endSeq === null || bar.endSeq > seq;
  const open = bar.endTime === null || later;
  const until = open && bar.kind !== 'wait' ? end : Math.min(bar.endTime ?? end, end);
  const left = place(bar.startTime);
  const width = Math.max(0, place(Math.max(until, bar.startTime)) - left);
  if (left > 100 || left + width < 0) return null;
  const took = duration(until - bar.startTime);
  const attempt = bar.attempt && bar.attempt > 1 ? ` (attempt ${bar.attempt})` : '';
  const waiting = firstTextPart(bar, until);
  const classes = [
    `bar b-${bar.kind} s-${open ? 'open' : bar.state}`,
    selected && 'is-on',
    lane && lane.lanes > 1 && `lane-${lane.lanes} lane-at-${lane.lane}`,
  ];
  const isLabelled = (bar.kind === 'tool' || bar.kind === 'model') && width > LABELLED[bar.kind];
  return (
    <button
      tabIndex={-1}
      className={classes.filter(Boolean).join(' ')}
      style={{ left: `${left}%`, width: `max(3px, ${width}%)` }}
      onClick={() => onPick(pickOf(bar, seq))}
      aria-label={`${BAR_WORDS[bar.kind]} ${bar.label}${attempt}, ${took}${bar.note ? `, ${bar.note}` : ''}`}
      title={`${BAR_WORDS[bar.kind]}: ${bar.label}${attempt}\n${took}${bar.note ? `\n${bar.note}` : ''}`}
    >
      {waiting > 0 && <span className="ttft" style={{ width: `${waiting}%` }} />}
      {isLabelled && <span className="blabel" data-l={bar.label} />}
      {bar.kind === 'model' && attempt && <span className="battempt" data-l={bar.attempt} />}
    </button>
  );
}

/** How much of a model call passed before its first text, in percent. */
function firstTextPart({ kind, firstTextTime, startTime }: Bar, until: number): number {
  if (kind !== 'model' || firstTextTime === undefined || until <= startTime) return 0;
  return Math.min(100, Math.max(0, ((firstTextTime - startTime) / (until - startTime)) * 100));
}

/** The event that says most about a bar. */
function pickOf({ kind, startSeq, endSeq }: Bar, seq: number): number {
  const known = endSeq !== null && endSeq <= seq ? endSeq : startSeq;
  return kind === 'tool' || kind === 'model' ? known : startSeq;
}
