/** What the run changes, and not the reader. */
export interface Growing {
  seq: number;
  endTime: number;
  axisEnd: number;
  live: boolean;
  linked: boolean;
  at: number | null;
  playing: boolean;
}

const GROWS: ReadonlySet<string> = new Set([
  'seq',
  'endTime',
  'axisEnd',
  'live',
  'linked',
] satisfies (keyof Growing)[]);

/**
 * Whether two views differ only in what the run has changed; while a replay plays, it changes the
 * position, too.
 */
export function isCalm<View extends Growing>(before: View, after: View): boolean {
  const plays = before.playing && after.playing;
  return (Object.keys(after) as (keyof View & string)[]).every(
    (key) => before[key] === after[key] || GROWS.has(key) || (plays && key === 'at'),
  );
}
