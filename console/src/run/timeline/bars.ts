import type { Bar } from '../../model/types.js';

/**
 * Tool calls that run side by side share the height of their row: by bar, the classes of its lane.
 */
export function lanesOf(bars: readonly Bar[]): Map<Bar, string> {
  const lanes = new Map<Bar, string>();
  const tools = bars.filter(({ kind }) => kind === 'tool');
  for (let i = 0; i < tools.length;) {
    const group: Bar[] = [];
    let end = -Infinity;
    for (let bar = tools[i]; bar && (group.length === 0 || bar.startTime < end); bar = tools[i]) {
      group.push(bar);
      end = Math.max(end, bar.endTime ?? Infinity);
      i++;
    }
    const count = Math.min(MOST_LANES, group.length);
    if (count > 1) group.forEach((bar, k) => lanes.set(bar, `lane-${count} lane-at-${k % count}`));
  }
  return lanes;
}
const MOST_LANES = 3;

/** Rows with fewer bars are drawn as they are. */
const FEW = 40;
/** A timeline is about so many pixels wide. */
const PIXELS = 900;

/**
 * Bars in view; those of one kind that would stand on the same pixels become one, and it says so.
 */
export function mergeBars(bars: readonly Bar[], start: number, span: number): Bar[] {
  if (bars.length < FEW) return [...bars];
  const pixel = span / PIXELS;
  const merged: Bar[] = [];
  const lastOf = new Map<string, number>();
  for (const bar of bars) {
    if ((bar.endTime ?? Infinity) < start || bar.startTime > start + span) continue;
    const at = lastOf.get(bar.kind);
    const last = at === undefined ? undefined : merged[at];
    if (at !== undefined && last && areOne(last, bar, pixel)) {
      merged[at] = {
        ...last,
        endTime: Math.max(last.endTime ?? 0, bar.endTime ?? 0),
        endSeq: bar.endSeq,
        note: 'several; zoom in to tell them apart',
      };
      continue;
    }
    lastOf.set(bar.kind, merged.push(bar) - 1);
  }
  return merged;
}

function areOne(last: Bar, bar: Bar, pixel: number): boolean {
  if (last.endTime === null || bar.endTime === null || last.state !== bar.state) return false;
  const short =
    bar.endTime - bar.startTime < 3 * pixel || last.endTime - last.startTime < 3 * pixel;
  return short && bar.startTime - last.endTime < pixel;
}

/** A round step of time, in ms, for an axis of about `marks` marks. */
export function roundStep(span: number, marks: number): number {
  const raw = span / marks;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5].find((step) => step * power >= raw) ?? 10) * power;
}
