import type { Bar, BarKind } from '../../model/types.js';

/** Where a bar is looked at from. */
export interface BarPlace {
  seq: number;
  /** Where the view ends in time. */
  end: number;
  /** The place of a time on the track, in percent. */
  place: (time: number) => number;
}

/** What is drawn of a bar: plain values, so that a bar that has ended is not drawn again. */
export interface BarLook {
  kind: BarKind;
  look: string;
  label: string;
  note: string;
  attempt: number;
  left: number;
  width: number;
  tookMs: number;
  /** How much of a model call passed before its first text, in percent. */
  waiting: number;
  /** The event that says most about it. */
  picks: number;
}

/** How a bar looks at an event; null if it is out of view. */
export function lookOf(bar: Bar, { seq, end, place }: BarPlace): BarLook | null {
  const { kind, label, note = '', attempt = 1 } = bar;
  const later = bar.endSeq === null || bar.endSeq > seq;
  const open = bar.endTime === null || later;
  const until = open && kind !== 'wait' ? end : Math.min(bar.endTime ?? end, end);
  const left = place(bar.startTime);
  const width = Math.max(0, place(Math.max(until, bar.startTime)) - left);
  if (left > 100 || left + width < 0) return null;
  return {
    ...{ kind, label, note, attempt, left, width },
    look: `bar b-${kind} s-${open ? 'open' : bar.state}`,
    tookMs: until - bar.startTime,
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
