import { fieldsOf, listOf, numberOf, textOf, type Fields } from '../../model/read.js';

/** A quantity over time, with what is normal, when it changed, and what it may be. */
export interface SeriesData {
  label: string;
  /** s since 1970 */
  times: number[];
  values: (number | null)[];
  baseline?: number | undefined;
  /** s since 1970 */
  onset?: number | undefined;
  /** The greatest value that is well; below the baseline, the least one. */
  threshold?: number | undefined;
}

const MOST_SERIES = 4;
const MOST_POINTS = 5_000;

/**
 * The series in a result: `series: [{name, points: [[time, value], …], baseline?, onset?,
 * threshold?}]`, and those that left their usual band, `moved: [{name, from, since?, usual_most? or
 * usual_least?, course: {start, step_ms, values}}]`. A series without a threshold of its own has
 * the one that `thresholds: [{metric, most?, least?}]` gives for its name. Times are in s or ms
 * since 1970, or ISO 8601.
 */
export function seriesIn(result: unknown): SeriesData[] {
  const { series, measurements, thresholds } = fieldsOf(result);
  const { series: measured, moved } = fieldsOf(measurements);
  return [
    ...listOf(moved).map((item) => movedOf(fieldsOf(item))),
    ...listOf(series ?? measured).map((item, i) => listedOf(fieldsOf(item), i)),
  ]
    .filter(({ times }) => times.length > 1)
    .slice(0, MOST_SERIES)
    .map((drawn) => ({ ...drawn, threshold: drawn.threshold ?? limitOf(thresholds, drawn.label) }));
}

function limitOf(thresholds: unknown, name: string): number | undefined {
  const held = listOf(thresholds).map((each) => fieldsOf(each));
  const { most, least } = held.find(({ metric }) => metric === name) ?? {};
  return numberOf(most) ?? numberOf(least);
}

function listedOf(fields: Fields, index: number): SeriesData {
  const points = listOf(fields['points'] ?? fields['values'])
    .slice(-MOST_POINTS)
    .map((point) => listOf(point))
    .flatMap(([at, value]) => {
      const time = secondsOf(at);
      return time === undefined ? [] : [{ time, value: numberOf(value) ?? null }];
    });
  return {
    label: textOf(fields['name'] ?? fields['label'], `Series ${index + 1}`),
    times: points.map(({ time }) => time),
    values: points.map(({ value }) => value),
    baseline: numberOf(fields['baseline']),
    onset: secondsOf(fields['onset']),
    threshold: numberOf(fields['threshold']),
  };
}

function movedOf(fields: Fields): SeriesData {
  const { start: first, step_ms: step, values: known } = fieldsOf(fields['course']);
  const start = secondsOf(first);
  const length = numberOf(step);
  const values = listOf(known)
    .slice(0, MOST_POINTS)
    .map((value) => numberOf(value) ?? null);
  const drawn = start !== undefined && length !== undefined && length > 0;
  return {
    label: `${textOf(fields['name'])}${fields['per_second'] === true ? ' a second' : ''}`,
    // A step is drawn at its middle.
    times: drawn ? values.map((_, i) => start + ((i + 0.5) * length) / 1_000) : [],
    values,
    baseline: numberOf(fields['from']),
    onset: secondsOf(fields['since']),
    threshold: numberOf(fields['usual_most']) ?? numberOf(fields['usual_least']),
  };
}

/** Times above this are in ms. */
const MS = 1e11;

function secondsOf(time: unknown): number | undefined {
  const read = typeof time === 'string' ? Date.parse(time) : numberOf(time);
  if (read === undefined || Number.isNaN(read)) return undefined;
  return read > MS ? read / 1_000 : read;
}
