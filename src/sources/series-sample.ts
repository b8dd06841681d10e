import type { Series } from '../domain/telemetry/records.js';

const MOST_POINTS = 500_000;
const MOST_POINTS_OF_SERIES = 20_000;
/** Minimum points of a thinned-out series: an onset needs them. */
const LEAST_POINTS = 60;

/**
 * Keeps all series, as densely as possible: once there are too many points, every second one is
 * dropped, in all series alike, so that series with a common grid keep it. If that is not
 * sufficient, further series are omitted.
 */
export class SeriesSample {
  private series: Series[] = [];
  private points = 0;
  private step = 1;
  private isFull = false;

  constructor(private readonly most = MOST_POINTS) {}

  add(series: Series): void {
    if (this.isFull) return;
    const bounded = every(Math.ceil(series.times.length / MOST_POINTS_OF_SERIES), series);
    const kept = thinOut(bounded, this.step);
    this.series.push(kept);
    this.points += kept.times.length;
    while (this.points > this.most && !this.isFull) this.halve();
  }

  all(): Series[] {
    return this.series;
  }

  private halve(): void {
    const before = this.points;
    this.step *= 2;
    this.series = this.series.map((each) => thinOut(each, 2));
    this.points = this.series.reduce((sum, { times }) => sum + times.length, 0);
    this.isFull = this.points === before;
  }
}

function thinOut(series: Series, step: number): Series {
  let fitting = step;
  while (fitting > 1 && series.times.length / fitting < LEAST_POINTS) fitting /= 2;
  return every(fitting, series);
}

/** Every n-th point of a series. */
function every(n: number, series: Series): Series {
  if (n <= 1) return series;
  const pick = (list: readonly number[]) => list.filter((_, i) => i % n === 0);
  return { ...series, times: pick(series.times), values: pick(series.values) };
}
