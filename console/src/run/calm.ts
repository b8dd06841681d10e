/** Parts that grow with the log and the clock, without a change of what is shown. */
export interface Growing {
  seq: number;
  endTime: number;
  axisEnd: number;
  at: number | null;
  playing: boolean;
}

const GROWS: ReadonlySet<string> = new Set([
  'seq',
  'endTime',
  'axisEnd',
] satisfies (keyof Growing)[]);

/** Whether two views differ only in those parts; while a replay plays, its position is one of them. */
export function isCalm<View extends Growing>(before: View, after: View): boolean {
  const plays = before.playing && after.playing;
  return (Object.keys(after) as (keyof View & string)[]).every(
    (key) => before[key] === after[key] || GROWS.has(key) || (plays && key === 'at'),
  );
}
