import { fieldsOf, listOf, numberOf, textOf } from '../../model/read.js';

/** A quantity over time, with what is normal, when it changed, and what it may be. */
export interface SeriesData {
  label: string;
  /** s since 1970 */
  times: number[];
  values: (number | null)[];
  baseline?: number | undefined;
  /** s since 1970 */
  onset?: number | undefined;
  threshold?: number | undefined;
}

const MOST_SERIES = 4;
const MOST_POINTS = 5_000;

/** The series in a result: `series: [{name, points: [[time, value], …], baseline?, onset?, threshold?}]`. */
export function seriesIn(result: unknown): SeriesData[] {
  const { series, measurements } = fieldsOf(result);
  const found = listOf(series ?? fieldsOf(measurements)['series']).slice(0, MOST_SERIES);
  return found.flatMap((item, i): SeriesData[] => {
    const fields = fieldsOf(item);
    const points = listOf(fields['points'] ?? fields['values'])
      .slice(-MOST_POINTS)
      .map((point) => listOf(point))
      .filter(([time]) => numberOf(time) !== undefined);
    if (points.length < 2) return [];
    return [
      {
        label: textOf(fields['name'] ?? fields['label'], `Series ${i + 1}`),
        times: points.map(([time]) => secondsOf(numberOf(time) ?? 0)),
        values: points.map(([, value]) => (value === null ? null : Number(value))),
        baseline: numberOf(fields['baseline']),
        onset: numberOf(fields['onset']),
        threshold: numberOf(fields['threshold']),
      },
    ];
  });
}

/** Times above this are in ms. */
const MS = 1e11;
export const secondsOf = (time: number): number => (time > MS ? time / 1_000 : time);
