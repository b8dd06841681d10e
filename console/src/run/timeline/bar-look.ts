import type { Bar, BarKind } from '../../model/types.js';
import type { TimeScale } from './time-scale.js';

/** Bars narrower than this, in percent of the track, have no label. */
const LABELLED: Partial<Record<BarKind, number>> = { tool: 5, model: 7 };

/** Where a bar is looked at from. */
export interface BarPlace {
  seq: number;
  /** What is later has not happened yet. */
  end: number;
  /** What texts take for the end. */
  textEnd: number;
  scale: TimeScale;
}

/** What is drawn of a bar: plain values, so that a bar that has ended is not drawn again. */
export interface BarLook {
  kind: BarKind;
  look: string;
  label: string;
  note: string;
  attempt: number;
  isLabelled: boolean;
  /** In percent of the scale, like `width`. */
  left: number;
  width: number;
  tookMs: number;
  /** How much of a model call passed before its first text, in percent. */
  waiting: number;
  /** The event that says most about it. */
  picks: number;
}

/** How a bar looks at an event; null if it is out of view. */
export function lookOf(bar: Bar, { seq, end, textEnd, scale }: BarPlace): BarLook | null {
  const { kind, label, note = '', attempt = 1, startTime } = bar;
  const later = bar.endSeq === null || bar.endSeq > seq;
  const open = bar.endTime === null || later;
  const until = Math.max(
    startTime,
    open && kind !== 'wait' ? end : Math.min(bar.endTime ?? end, end),
  );
  if (startTime > scale.start + scale.span || until < scale.start) return null;
  const left = scale.place(startTime);
  return {
    kind,
    label,
    note,
    attempt,
    left,
    width: scale.place(until) - left,
    isLabelled: ((until - startTime) / scale.span) * 100 > (LABELLED[kind] ?? Infinity),
    look: `bar b-${kind} s-${open ? 'open' : bar.state}`,
    tookMs: (until === end ? Math.max(startTime, textEnd) : until) - startTime,
    waiting: firstTextPart(bar, until),
    picks: pickOf(bar, seq),
  };
}

function firstTextPart({ kind, firstTextTime, startTime }: Bar, until: number): number {
  if (kind !== 'model' || firstTextTime === undefined || until <= startTime) return 0;
  return Math.min(100, Math.max(0, ((firstTextTime - startTime) / (until - startTime)) * 100));
}

function pickOf({ kind, startSeq, endSeq }: Bar, seq: number): number {
  const known = endSeq !== null && endSeq <= seq ? endSeq : startSeq;
  return kind === 'tool' || kind === 'model' ? known : startSeq;
}
